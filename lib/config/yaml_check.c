/* SPDX-License-Identifier: MIT */
/*
 * This file checks that a document is valid UTF-8 with characters that an editor can show, before
 * it is parsed. libyaml also ends lines at U+0085, U+2028 and U+2029. This file rejects these
 * characters, so that libyaml counts the same lines as an editor.
 */
#include "config/yaml.h"

#include "base/text.h"

static bool is_shown(uint32_t code)
{
	if (code == '\t' || code == '\n' || code == '\r')
		return true;
	if (code < 0x20 || (code >= 0x7f && code <= 0x9f))
		return false;
	/* Reject line and paragraph separators, byte order marks, and noncharacters. */
	return code != 0x2028 && code != 0x2029 && code != 0xfeff && code != 0xfffe &&
	       code != 0xffff;
}

/* Move place beyond a character. A line ends at a line feed, or at a carriage return that no line
 * feed follows. */
static void advance(struct rs_yaml_place *place, const char *text, size_t left)
{
	if (*text == '\n' || (*text == '\r' && (left < 2 || text[1] != '\n'))) {
		place->line++;
		place->column = 1;
	} else {
		place->column++;
	}
}

bool rs_yaml_check_characters(const char *file, const char *text, size_t bytes, struct rs_err *err)
{
	struct rs_yaml_place place = {file, 1, 1};
	while (bytes > 0) {
		uint32_t code;
		size_t length = rs_text_decode(text, bytes, &code);
		if (length == 0) {
			rs_yaml_refuse(&place, err, "byte 0x%02x is not UTF-8",
				(unsigned)(unsigned char)*text);
			return rs_err_add_line(err, "try: save the file as UTF-8");
		}
		if (!is_shown(code)) {
			rs_yaml_refuse(&place, err, "character U+%04X is not allowed here",
				(unsigned)code);
			return rs_err_add_line(err,
				"try: \"\\u%04x\", in double quotes, or leave it out",
				(unsigned)code);
		}
		advance(&place, text, bytes);
		text += length;
		bytes -= length;
	}
	return true;
}

const char *rs_yaml_find_place(const char *text, size_t bytes, struct rs_yaml_place *place)
{
	struct rs_yaml_place here = {place->file, 1, 1};
	while (bytes > 0) {
		size_t length = rs_text_decode(text, bytes, NULL);
		if (length == 0 || here.line > place->line)
			return NULL;
		if (here.line == place->line && here.column == place->column)
			return text;
		advance(&here, text, bytes);
		text += length;
		bytes -= length;
	}
	*place = here;
	return NULL;
}
