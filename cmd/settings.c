/* SPDX-License-Identifier: MIT */
/*
 * A list of settings in the order in which they were made.
 */
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool rs_settings_add(struct rs_settings *settings, const struct rs_setting *setting)
{
	struct rs_setting *grown = reallocarray(
		settings->items, settings->n + 1, sizeof(*settings->items));
	if (!grown)
		return false;
	settings->items = grown;
	struct rs_setting *added = &settings->items[settings->n];
	*added = *setting;
	added->value = setting->value ? strdup(setting->value) : NULL;
	if (setting->value && !added->value)
		return false;
	settings->n++;
	return true;
}

size_t rs_settings_find(
	const struct rs_settings *settings, const struct rs_option *option, size_t from)
{
	while (from < settings->n && settings->items[from].option != option)
		from++;
	return from;
}

struct rs_origin rs_settings_origin(const struct rs_setting *setting)
{
	const struct rs_layer *layer = &setting->layer;
	struct rs_origin origin;
	if (!layer->file)
		snprintf(origin.text, sizeof(origin.text), "command line");
	else
		snprintf(origin.text, sizeof(origin.text), "%s%s%s%s:%u",
			layer->profile ? "profile " : "",
			layer->profile ? rs_text_shown(layer->profile).text : "",
			layer->profile ? ", " : "", rs_text_shown(layer->file).text,
			setting->place.line);
	return origin;
}

void rs_settings_finish(struct rs_settings *settings)
{
	for (size_t i = 0; i < settings->n; i++)
		free(settings->items[i].value);
	free(settings->items);
	*settings = (struct rs_settings){0};
}
