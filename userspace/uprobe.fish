# SPDX-License-Identifier: GPL-2.0
#
# Completion of uprobe's commands, options, targets and functions for fish.

# "uprobe complete" prints "command|NAME|ARGUMENTS|TEXT" and "option|-LETTER|--WORD|VALUE|WORDS|TEXT".
set -l table (uprobe complete 2>/dev/null)
set -l commands (string replace -rf '^command\|([^|]*).*' '$1' -- $table)
set -l probing (string replace -rf '^command\|([^|]*)\|probes\|.*' '$1' -- $table)
set -l targets (string replace -rf '^command\|([^|]*)\|target.*' '$1' -- $table)
set -l places (string replace -rf '^command\|([^|]*)\|target place\|.*' '$1' -- $table)
complete -c uprobe -f
complete -c uprobe -n "not __fish_seen_subcommand_from $commands; or __fish_seen_subcommand_from help" -a "$commands"

# The current word without the quote that it begins with.
function __uprobe_word
    commandline -ct | string replace -r '^["\']' ''
end

# TARGET:FUNCTION, with a kind before it or not: the functions of the target.
function __uprobe_probes
    set -l word (__uprobe_word)
    set -l parts (string match -r '^((?:[pru]:)?)([^:]+):(.*)$' -- $word)
    if test (count $parts) -ge 3
        set -l start $parts[2]$parts[3]:
        if test "$parts[2]" = u:
            for name in (uprobe sdt $parts[3] 2>/dev/null | string match -r '^\S+')
                echo $start$name
                # The name of the provider can be left out.
                string match -q '*:*' -- $parts[4]; or echo $start(string replace -r '^[^:]*:' '' -- $name)
            end
        else
            for name in (uprobe list -- $parts[3] (string replace -ra '[][*?\\\\]' '' -- $parts[4])'*' 2>/dev/null | head -n 500)
                echo $start$name
            end
        end
    else
        set -l kind (string match -r '^[pru]:' -- $word)
        for name in (__fish_complete_command | string replace -r '\t.*' '') libc
            echo $kind$name:
        end
    end
end
complete -c uprobe -n "__fish_seen_subcommand_from $probing" -a "(__uprobe_probes)"
complete -c uprobe -n "string match -qr '^[pru]:' -- (__uprobe_word)" -a "(__uprobe_probes)"

# TARGET, then FUNCTION.
function __uprobe_target_given
    test (count (commandline -opc)) -ge 3
end
complete -c uprobe -n "__fish_seen_subcommand_from $targets; and not __uprobe_target_given" -a "(__fish_complete_command)" -F
complete -c uprobe -n "__fish_seen_subcommand_from $places; and __uprobe_target_given" -a "(uprobe list -- (commandline -opc)[-1] (__uprobe_word)'*' 2>/dev/null | head -n 500)"

for row in (string match 'option|*' -- $table)
    set -l f (string split '|' -- $row)
    set -l args
    test -z $f[2]; or set -a args -s (string sub -s 2 -- $f[2])
    test -z $f[3]; or set -a args -l (string trim -c '-=' -- $f[3])
    set -l values "$f[5]"
    switch "$f[4]"
        case PID
            set values "(__fish_complete_pids)"
        case CMD
            set values "(__fish_complete_command)"
        case UID
            set values "(__fish_complete_users)"
        case DIR
            set values "(__fish_complete_directories)"
    end
    switch "$f[4]"
        case FILE TARGET
            set -a args -r -F
        case '?*'
            set -a args -x -a "$values"
    end
    complete -c uprobe $args -d "$f[6]"
end
