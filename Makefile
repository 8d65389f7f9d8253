# SPDX-License-Identifier: GPL-2.0
#
# uprobes.ko, the uprobe helper and their tests; "make help" says what there is.

KDIR ?= /lib/modules/$(shell uname -r)/build
MODULES := -C $(KDIR) M=$(CURDIR)
USERSPACE := $(wildcard userspace/Makefile)

all: userspace module

help:
	@echo 'Targets:'
	@echo '  all              uprobes.ko, sample modules and userspace/uprobe (default)'
	@echo '  module           uprobes.ko and the samples alone'
	@echo '  userspace        userspace/uprobe alone'
	@echo '  install          modules_install, and uprobe with its manual pages'
	@echo '  modules_install  the module into /lib/modules'
	@echo '  demo             boot a kernel in QEMU and trace programs in it'
	@echo '  test             all tests, on every kernel of qemu/kernels'
	@echo '  bench            what probes cost, beside the kernel'"'"'s own; no test'
	@echo '  check            checkpatch on the sources'
	@echo '  clean            remove what was built'
	@echo
	@echo 'Variables:'
	@echo '  KDIR=DIR         kernel to build against [$(KDIR)]'
	@echo '  KERNEL=NAME      a kernel of qemu/kernels instead ($(KERNELS)); its'
	@echo '                   packages are fetched, the result is build/NAME/uprobes.ko'
	@echo '  TESTS=GLOB       test: only tests whose file name matches'
	@echo '  BENCH=NAMES      bench: other measurements, "decode helper"'
	@echo '  V=1 W=1 C=1 LLVM=1 INSTALL_MOD_PATH=DIR   as in the kernel'
	@echo '  DESTDIR=DIR      install: below DIR'

help: KERNELS = $(shell awk '!/^ *(\#|$$)/ { print $$1 }' qemu/kernels)

ifdef KERNEL
module:
	+@qemu/build $(KERNEL)
else
module: kdir
	$(MAKE) $(MODULES) modules
endif

kdir:
	@test -e $(KDIR)/Makefile || { \
		echo "No kernel headers in $(KDIR): install the package linux-headers-$$(uname -r)," >&2; \
		echo "or build for one of the test kernels: make KERNEL=6.1 (make help lists them)." >&2; \
		exit 1; }

# A header that is not there, and the package that has it.
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

modules_install: module kdir
	$(MAKE) $(MODULES) INSTALL_MOD_PATH=$(DESTDIR)$(INSTALL_MOD_PATH) modules_install

install: modules_install userspace
ifneq ($(USERSPACE),)
	$(MAKE) -C userspace install
endif

test:
	+@qemu/install-deps
	+@tests/run

# What is measured: hits; decode, helper.
BENCH ?= hits

bench:
	+@qemu/install-deps
	@for bench in $(BENCH); do tests/bench/$$bench || exit; done

demo:
	+@qemu/install-deps
	+@qemu/demo

check:
	@qemu/check

# What kbuild leaves behind is known by name: no headers are needed to clean.
clean:
ifneq ($(USERSPACE),)
	$(MAKE) -C userspace clean
endif
	rm -rf build .tmp_versions arch/x86/opcodes.inc
	find . -path ./.git -prune -o \( -name '*.o' -o -name '*.ko' -o -name '*.mod' \
		-o -name '*.mod.c' -o -name '.*.cmd' -o -name '.*.d' -o -name 'Module.symvers' \
		-o -name 'modules.order' \) -type f -exec rm -f {} +

.PHONY: all help module kdir userspace modules_install install test bench demo check clean
