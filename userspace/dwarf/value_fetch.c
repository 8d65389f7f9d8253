// SPDX-License-Identifier: GPL-2.0
/* Convert values to fetch arguments of uprobe_events. */
#include "value_fetch.h"

#include "value_number.h"
#include "value_string.h"

/**
 * value_fetch() - convert a value to a fetch argument
 * @value: the value; changed
 * @expression: its name, for messages
 * @type: the requested type, or NULL for the value's own type
 * @fetch: set on success to FETCH:TYPE, from malloc()
 */
struct error *value_fetch(struct value *value, const char *expression,
			  const char *type, char **fetch)
{
	if (type ? value_is_string_type(type) : value_is_text(value))
		return value_string(value, expression, type ? type : "string",
				    fetch);
	return value_number_fetch(value, expression, type, fetch);
}
