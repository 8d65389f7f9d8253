/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The steps of pads.
 */
#ifndef UPROBES_ARCH_X86_PAD_STEPS_H
#define UPROBES_ARCH_X86_PAD_STEPS_H

#include "pad_out.h"

/**
 * pad_put_step() - append a step
 * @o: the pad that is being written
 * @pad: what it does
 * @step: the step
 * @layout: the offsets in it are filled in
 *
 * Return: 0, or -ERANGE if its data are out of reach.
 */
int pad_put_step(struct pad_out *o, const struct pad *pad, const struct pad_step *step,
		 struct pad_layout *layout);

#endif /* UPROBES_ARCH_X86_PAD_STEPS_H */
