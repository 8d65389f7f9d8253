# SPDX-License-Identifier: GPL-2.0
#
# Completion of uprobe's commands, options, targets and functions for fish.

set -l commands trace offset resolve list sdt count lat flow stacks vars lines status clean doctor help
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
complete -c uprobe -n "__fish_seen_subcommand_from trace count lat flow stacks resolve" -a "(__uprobe_probes)"
complete -c uprobe -n "string match -qr '^[pru]:' -- (__uprobe_word)" -a "(__uprobe_probes)"

# TARGET, then FUNCTION.
function __uprobe_target_given
    test (count (commandline -opc)) -ge 3
end
complete -c uprobe -n "__fish_seen_subcommand_from offset list sdt vars lines; and not __uprobe_target_given" -a "(__fish_complete_command)" -F
complete -c uprobe -n "__fish_seen_subcommand_from offset vars lines; and __uprobe_target_given" -a "(uprobe list -- (commandline -opc)[-1] (__uprobe_word)'*' 2>/dev/null | head -n 500)"

complete -c uprobe -s p -l pid -x -a "(__fish_complete_pids)" -d "only this process"
complete -c uprobe -s L -x -d "only this thread"
complete -c uprobe -s f -d "processes that it starts, too"
complete -c uprobe -s c -x -a "(__fish_complete_command)" -d "run and trace a command"
complete -c uprobe -l uid -x -a "(__fish_complete_users)" -d "only tasks of this user"
complete -c uprobe -l comm -x -d "only tasks of this name"
complete -c uprobe -l self -d "uprobe itself, too"
complete -c uprobe -l no-follow -d "probe no file that replaces another"
complete -c uprobe -s d -x -d "stop after this time"
complete -c uprobe -s i -x -d "print and begin anew each time"
complete -c uprobe -l top -x -d "that many functions or paths"
complete -c uprobe -l heat -d "a heat map in the terminal"
complete -c uprobe -l depth -x -d "only so many levels of calls"
complete -c uprobe -l min -x -d "only calls that take so long"
complete -c uprobe -l summary -d "a table of functions"
complete -c uprobe -l apart -d "each thread by itself"
complete -c uprobe -l folded -d "a line for each path"
complete -c uprobe -l str -x -d "characters of a string"
complete -c uprobe -l max-probes -x -d "stop where more would be probed"
complete -c uprobe -l buffer -x -d "kilobytes for each processor"
complete -c uprobe -s M -x -d "stop after so many events"
complete -c uprobe -s o -r -F -d "write results there"
complete -c uprobe -l json -d "objects"
complete -c uprobe -l color -x -a "auto always never" -d "colours"
complete -c uprobe -l time -x -a "kernel relative clock" -d "how to write times"
complete -c uprobe -s H -d "column headers"
complete -c uprobe -l long -d "flags and addresses, too"
complete -c uprobe -s s -d "user stacks"
complete -c uprobe -s v -d "more"
complete -c uprobe -s l -r -d "list functions"
complete -c uprobe -l all -d "all functions of a name"
complete -c uprobe -l force -x -a "align size range ifunc go" -d "skip checks"
complete -c uprobe -s F -d "skip all checks"
complete -c uprobe -l return -x -a "trampoline sites auto" -d "how returns are probed"
complete -c uprobe -l debug-dir -x -a "(__fish_complete_directories)" -d "separate debug files"
complete -c uprobe -l control -x -a "(__fish_complete_directories)" -d "the tracer's directory"
complete -c uprobe -s h -l help -d "help"
complete -c uprobe -l version -d "the version"
