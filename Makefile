# SPDX-License-Identifier: GPL-2.0
#
# Builds and tests uprobes.ko, uprobes_trace.ko and the uprobe helper; "make help" lists the targets.

KDIR ?= /lib/modules/$(shell uname -r)/build
MODULES := -C $(KDIR) M=$(CURDIR)
USERSPACE := $(wildcard userspace/Makefile)
version := $(shell sed -n 's,^PACKAGE_VERSION="\(.*\)"$$,\1,p' dkms.conf)

all: userspace module

.DELETE_ON_ERROR:

help:
	@echo 'Targets:'
	@echo '  all              both modules, the samples and userspace/uprobe (default)'
	@echo '  module           uprobes.ko, uprobes_trace.ko and the samples alone'
	@echo '  userspace        userspace/uprobe alone'
	@echo '  install          modules_install, the helper, the header for clients and all manual pages'
	@echo '  modules_install  the modules into /lib/modules, and how to remove them for modprobe'
	@echo '  uninstall        remove the files that install has installed'
	@echo '  install-tools, install-dev   parts of install: the helper; the header and its pages'
	@echo '  install-dkms     the source for DKMS into /usr/src; then: dkms install uprobes/$(version)'
	@echo '  man              manual pages of the API, from its header, in build/man'
	@echo '  deb              Debian packages in build/deb: uprobes-dkms, -tools, -dev'
	@echo '  demo             boot a kernel in QEMU and trace programs in it'
	@echo '  test             static checks, host tests and guest tests: every behaviour once'
	@echo '  try              the tests of what differs from the last commit, in about a minute'
	@echo '  newcomer         run and time demo and test as a new user of a bare Debian 13, in a chroot'
	@echo '  bench            measure what probes cost, compared with the kernel'"'"'s uprobes'
	@echo '  mutants          commit small faults, one by one, and show which test finds each'
	@echo '  torture          half an hour of programs and probes that are hard to get right'
	@echo '  check            static checks only: checkpatch, sparse, cppcheck ...'
	@echo '  coverage         show the lines of the host code that host tests execute'
	@echo '  coverage-guest   show the lines of the module that guest tests do not execute'
	@echo '  compile_commands.json   for clangd: helper, tests, and the module as it was built'
	@echo '  clean            remove all built files'
	@echo
	@echo 'Variables:'
	@echo '  KDIR=DIR         kernel to build against [$(KDIR)]'
	@echo '  KERNEL=NAME      a kernel of qemu/kernels instead ($(KERNELS)); its'
	@echo '                   packages are fetched, the result is build/NAME/uprobes*.ko'
	@echo '  TESTS=GLOB       test: only tests whose file name matches'
	@echo '  TEST_GROUPS=NAMES   test: only these of "static host guest"'
	@echo '  SINCE=COMMIT     try: the tests of what differs from COMMIT'
	@echo '  COSTS=write      test: write what each test costs to tests/budget'
	@echo '  FULL=1           try: what continuous integration adds for the change'
	@echo '                   test: everything at full length; FULL=rest: only what FULL=1 adds'
	@echo '  DEBIAN=12        newcomer: another version of Debian'
	@echo '  NEWCOMER_ONLY=demo   newcomer: without test'
	@echo '  BENCH=NAMES      bench: other measurements, "decode events helper pads machine"'
	@echo '  SECONDS=N SEED=N torture: the duration; the seed of an earlier run'
	@echo '  V=1 W=1 C=1 LLVM=1 INSTALL_MOD_PATH=DIR   as in the kernel'
	@echo '  PREFIX=DIR       install: for helper, header and manual pages [$(PREFIX)]'
	@echo '  DESTDIR=DIR      install: everything below DIR, without depmod'

help: KERNELS = $(shell awk '!/^ *(\#|$$)/ { print $$1 }' qemu/kernels)

ifdef KERNEL
module:
	+@qemu/build $(KERNEL)
else
module: kdir
	@[ ! -e packaging/nearest-kernel ] || packaging/nearest-kernel "$(release)"
	$(MAKE) $(MODULES) modules
endif

kdir:
	@test -e $(KDIR)/Makefile || { \
		echo "No kernel headers in $(KDIR): install the package linux-headers-$$(uname -r)," >&2; \
		echo "or $(or $(elsewhere),build for a test kernel: make KERNEL=6.1 (make help lists them))." >&2; \
		exit 1; }

# What is installed is for no test kernel.
elsewhere = $(if $(filter %install,$(MAKECMDGOALS)),say where they are: make $(MAKECMDGOALS) KDIR=DIR)

# The headers that the helper needs, and the packages that contain them.
NEEDS := libelf.h:libelf-dev elfutils/libdw.h:libdw-dev lzma.h:liblzma-dev \
	 libiberty/demangle.h:libiberty-dev

userspace:
	@command -v $(firstword $(CC)) >/dev/null || { \
		echo "$(CC) is needed to build userspace/uprobe: install the package gcc" >&2; exit 1; }
	@for need in $(NEEDS); do \
		echo "#include <$${need%:*}>" | $(CC) -E - >/dev/null 2>&1 || { \
			echo "userspace/uprobe needs the header $${need%:*}: install the package $${need#*:}" >&2; \
			exit 1; }; \
	done
ifneq ($(USERSPACE),)
	$(MAKE) -C userspace
endif

ifdef KERNEL
modules_install:
	@echo "$(MAKECMDGOALS) needs KDIR, the headers of the kernel that it is for; KERNEL is for tests:" \
		"make $(MAKECMDGOALS) KDIR=/lib/modules/VERSION/build" >&2; exit 1
else
# The samples are not installed.
modules_install: kdir
	$(MAKE) $(MODULES) UPROBES_SAMPLES=n modules
	$(MAKE) $(MODULES) INSTALL_MOD_PATH=$(DESTDIR)$(INSTALL_MOD_PATH) modules_install
	install -D -m 644 packaging/modprobe.conf $(modprobe_conf)
	$(call depmod,$(release))
endif

# DESTDIR is for making a package. depmod runs when the package is installed.
depmod = $(if $(DESTDIR),,PATH=$$PATH:/usr/sbin:/sbin depmod $(if $(INSTALL_MOD_PATH),-b $(INSTALL_MOD_PATH)) $(1))
release = $(shell sed -n 's,.*UTS_RELEASE "\(.*\)",\1,p' $(KDIR)/include/generated/utsrelease.h)

install: modules_install install-tools install-dev

PREFIX ?= /usr/local
modprobe_conf = $(DESTDIR)$(PREFIX)/lib/modprobe.d/uprobes.conf
man_dir = $(DESTDIR)$(PREFIX)/share/man
include_dir = $(DESTDIR)$(PREFIX)/include/uprobes-ko

# Those for clients, and the one for readers of sessions.
headers := $(addprefix include/uprobes/,uprobes.h blocks.h values.h units.h)

install-tools: userspace
	$(MAKE) -C userspace install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	install -D -m 644 man/uprobes.4 $(man_dir)/man4/uprobes.4

install-dev: man
	install -d $(include_dir)/uprobes
	install -m 644 $(headers) $(include_dir)/uprobes
	install -d $(man_dir)/man9
	install -m 644 build/man/*.9 $(man_dir)/man9

dkms_dir = $(DESTDIR)/usr/src/uprobes-$(version)

install-dkms:
	@find Kbuild Makefile dkms.conf packaging/dkms-symvers arch include module -type f \
		\( ! -path '*/*' -o -perm -100 -o -name '*.[chS]' -o -name '*.tbl' -o -name '*.awk' \) \
		! -name '*.mod.c' ! -name '.*' ! -path 'module/samples/*' | LC_ALL=C sort | \
	while read -r file; do \
		mode=644; [ ! -x $$file ] || mode=755; \
		install -D -m $$mode $$file $(dkms_dir)/$$file || exit; \
	done
	@install -D -m 644 packaging/modprobe.conf $(modprobe_conf)
	@echo '$(dkms_dir)'

# Remove the modules from each kernel for which they were installed. The headers of these kernels are not
# needed. This does not touch updates/dkms, where DKMS installs.
module_root = $(DESTDIR)$(INSTALL_MOD_PATH)/lib/modules

uninstall: man
	for ko in $(foreach dir,updates extra $(INSTALL_MOD_DIR),$(module_root)/*/$(dir)/uprobes.ko* \
			$(module_root)/*/$(dir)/uprobes_trace.ko*); do \
		[ -e "$$ko" ] || continue; \
		rm -f "$$ko" && release=$${ko#$(module_root)/} || exit; \
		$(or $(call depmod,$${release%%/*}),:) || :; \
	done
	rm -f $(modprobe_conf)
	$(MAKE) -C userspace uninstall PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	rm -f $(man_dir)/man4/uprobes.4
	cd build/man && for page in *.9; do rm -f $(man_dir)/man9/$$page; done
	rm -rf $(include_dir)

man: build/man/uprobes.9

# The pages have the date of the version.
build/man/uprobes.9: $(headers) man/kernel-doc.awk debian/changelog
	@rm -rf build/man && mkdir -p build/man
	awk -v out=build/man -v version=$(version) \
		-v date=$$(date -u -d "$$(sed -n '/^ -- /{ s/.*>  //p; q }' debian/changelog)" +%F) \
		-f man/kernel-doc.awk include/uprobes/uprobes.h include/uprobes/blocks.h include/uprobes/values.h

deb:
	@packaging/deb

# Install the packages for these purposes of qemu/deps; and, if KERNEL names a kernel that is built
# here, the packages for building it.
built_kernels = $(shell awk '!/^ *(\#|$$)/ && $$6 { print $$1 }' qemu/kernels)
deps = +@qemu/install-deps $(1) $(if $(filter all $(built_kernels),$(KERNEL)),kernel)
full = $(if $(FULL),full)

test:
	$(call deps,build run test $(full))
	+@tests/run

# The tests of a change. FULL=1 names, and runs, what continuous integration adds for it.
try:
	$(call deps,build run test $(full))
	+@tests/try

# NEWCOMER_TEST="ARGUMENTS" passes arguments to "make test"; NEWCOMER_ONLY=demo leaves that out.
newcomer:
	+@packaging/newcomer

# The measurements: hits, decode, helper.
BENCH ?= hits

bench:
	$(call deps,build run test)
	@for bench in $(BENCH); do tests/bench/$$bench || exit; done

# The torture prints its seed; SEED repeats a run.
torture:
	$(call deps,build run test)
	+@TORTURE_SECONDS="$(or $(SECONDS),1800)" KERNEL="$(KERNEL)" SEED="$(SEED)" tests/torture/run

# MUTANTS="NAME ..." commits only these faults of tests/mutants.
mutants:
	$(call deps,build run test full)
	+@MUTANTS="$(MUTANTS)" tests/mutants/run

demo:
	$(call deps,build run)
	+@qemu/demo

check:
	$(call deps,build check $(full))
	+@TEST_GROUPS=static tests/run

# The module is in it if it was built: for KERNEL, or against KDIR.
compile_commands.json:
	@packaging/compile-commands $(if $(KERNEL),"$$(qemu/fetch $(KERNEL) | sed -n 's/^kdir=//p')" \
		"$(CURDIR)/build/$(KERNEL)","$(realpath $(KDIR))" "$(CURDIR)") >$@

coverage:
	$(call deps,build test)
	+@tests/coverage/host

coverage-guest:
	$(call deps,build run test)
	+@KERNEL="$(KERNEL)" tests/coverage/guest

# Remove the files that kbuild creates by their names, so that cleaning needs no kernel headers.
clean:
ifneq ($(USERSPACE),)
	$(MAKE) -C userspace clean
endif
	rm -rf build .tmp_versions arch/x86/opcodes.inc compile_commands.json
	find . -path ./.git -prune -o \( -name '*.o' -o -name '*.ko' -o -name '*.mod' \
		-o -name '*.mod.c' -o -name '.*.cmd' -o -name '.*.d' -o -name 'Module.symvers' \
		-o -name 'modules.order' \) -type f -exec rm -f {} +

.PHONY: all help module kdir userspace modules_install install install-tools install-dev \
	install-dkms uninstall man deb test try newcomer bench torture mutants demo check coverage \
	coverage-guest compile_commands.json clean
