/* SPDX-License-Identifier: MIT */
/*
 * The rules of stats/scale.h. An event that never ran has no total; the distribution is that of counted
 * calls, and is not scaled.
 */
#include "stats/scale.h"

#include <math.h>

/* Times of different PMUs begin and end some nanoseconds apart: what differs by less than this part
 * of it is the same. */
#define NOISE_DIVISOR 100000

/* ---- parts ---- */

/* How the parts of an event are scaled. */
struct scale {
	uint64_t enabled_ns; /* that the event was wanted in all */
	uint64_t running_ns; /* and that any part of it was on its PMU */
	uint64_t shared_enabled_ns; /* of that the parts that shared their PMU: scale by */
	uint64_t shared_running_ns; /* this over that */
	bool scales_all; /* parts that ran throughout, too */
	bool is_exact; /* nothing is to be scaled */
};

/* Of calls too short for the kernel's clock to move that were counted all the same it was there. */
static uint64_t running_of(const struct rs_value *part)
{
	return part->enabled_ns == 0 && part->counted > 0 ? 1 : part->running_ns;
}

/* Wanted only while it ran. */
static bool ran_throughout(const struct rs_value *part)
{
	return part->enabled_ns <= running_of(part);
}

static struct scale find_scale(const struct rs_value *const *parts, size_t n)
{
	struct scale scale = {0};
	uint64_t running_throughout = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t running_ns = running_of(parts[i]);
		rs_add_saturating(&scale.running_ns, running_ns);
		if (parts[i]->enabled_ns > scale.enabled_ns)
			scale.enabled_ns = parts[i]->enabled_ns;
		rs_add_saturating(
			ran_throughout(parts[i]) ? &running_throughout : &scale.shared_running_ns,
			running_ns);
	}
	if (scale.enabled_ns < scale.running_ns)
		scale.enabled_ns = scale.running_ns;
	uint64_t noise = n > 1 ? scale.enabled_ns / NOISE_DIVISOR : 0;
	scale.is_exact = scale.enabled_ns - scale.running_ns <= noise;
	scale.shared_enabled_ns = scale.enabled_ns - running_throughout;
	if (scale.shared_running_ns == 0 && !scale.is_exact) {
		/* a part that never had its turn: all others stand for it */
		scale.shared_enabled_ns = scale.enabled_ns;
		scale.shared_running_ns = scale.running_ns;
		scale.scales_all = true;
	}
	return scale;
}

static bool is_exact(const struct rs_value *part, const struct scale *scale)
{
	return scale->is_exact || (!scale->scales_all && ran_throughout(part));
}

static uint64_t scaled(uint64_t number, const struct rs_value *part, const struct scale *scale)
{
	if (is_exact(part, scale) || scale->shared_running_ns == 0)
		return number;
	return rs_wide_scale(number, scale->shared_enabled_ns, scale->shared_running_ns);
}

static int64_t scaled_self(const struct rs_value *part, const struct scale *scale)
{
	uint64_t size = part->self < 0 ? -(uint64_t)part->self : (uint64_t)part->self;
	size = scaled(size, part, scale);
	int64_t self = size < INT64_MAX ? (int64_t)size : INT64_MAX;
	return part->self < 0 ? -self : self;
}

void rs_value_scale(
	struct rs_value *value, const struct rs_value *const *parts, size_t n, size_t place)
{
	const struct scale scale = find_scale(parts, n);
	bool is_all = place == RS_ALL_PARTS;
	bool exact = is_all ? scale.is_exact : is_exact(parts[place], &scale);
	uint64_t running_ns = is_all ? scale.running_ns : running_of(parts[place]);
	if (running_ns == 0) {
		*value = (struct rs_value){.status = RS_VALUE_NOT_COUNTED};
		return;
	}
	uint64_t total = 0;
	int64_t self = 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_all && place != i)
			continue;
		rs_add_saturating(&total, scaled(parts[i]->total, parts[i], &scale));
		if (__builtin_add_overflow(self, scaled_self(parts[i], &scale), &self))
			self = parts[i]->self < 0 ? INT64_MIN : INT64_MAX;
	}
	value->status = exact ? RS_VALUE_OK : RS_VALUE_SCALED;
	value->total = total;
	value->self = self;
	/* of the calls during which it was not on the PMU nothing is known */
	if (!exact)
		value->variance = NAN;
	value->enabled_ns = scale.enabled_ns;
	value->running_ns = is_all && exact ? scale.enabled_ns : running_ns;
}

/* ---- values of rows ---- */

/* Calls of which some were measured: totals are estimates. */
static void tell_sampled(struct rs_value *value, const struct rs_merged_row *row)
{
	bool is_sampled = row->calls != row->measured || row->calls != row->weights;
	if (is_sampled && rs_value_has_total(value))
		value->status = row->weights > 0 ? RS_VALUE_SCALED : RS_VALUE_NOT_COUNTED;
}

struct rs_value rs_value_of_row(const struct rs_merged_row *row, enum rs_event_index event)
{
	struct rs_value value = row->values[event];
	if (!rs_value_has_total(&value))
		return (struct rs_value){.status = value.status};
	if (event == RS_EVENT_TIME || event == RS_EVENT_CPU_TIME) /* the others are exact */
		tell_sampled(&value, row);
	return value;
}

struct rs_value rs_value_of_event(const struct rs_merged_row *row, const struct rs_value *from,
	const uint32_t *events, size_t n, size_t place)
{
	const struct rs_value *parts[RS_MAX_CORE_PMUS];
	struct rs_value value = *from;
	for (size_t i = 0; i < n; i++)
		parts[i] = &row->values[events[i]];
	rs_value_scale(&value, parts, n, place);
	tell_sampled(&value, row);
	return value;
}

struct rs_value rs_value_of_call(uint64_t number)
{
	if (number == UINT64_MAX)
		return (struct rs_value){.status = RS_VALUE_NOT_COUNTED};
	return (struct rs_value){.total = number, .lacks_self = true};
}

/* ---- limits ---- */

static void limit(uint64_t *number, uint64_t most)
{
	if (*number > most)
		*number = most;
}

void rs_value_limit(struct rs_value *value, const struct rs_value *most)
{
	if (rs_value_has_total(most)) {
		limit(&value->total, most->total);
		uint64_t self = most->lacks_self ? most->total : rs_value_self(most);
		if (value->self > 0 && (uint64_t)value->self > self)
			value->self = (int64_t)self;
	}
	if (!rs_value_has_distribution(value) || !rs_value_has_distribution(most))
		return;
	limit(&value->max, most->max);
	limit(&value->min, value->max);
	/* both of the same calls: what holds for each of them holds for every rank */
	if (value->counted == most->counted) {
		limit(&value->min, most->min);
		value->limit = most;
	}
	/* values from min to max with that average deviate no more (Bhatia and Davis, 2000); as doubles
	 * these three are as much off as the last of their 53 bits */
	double average = rs_value_average(value), slack = (double)value->max * 0x1p-52;
	double square = ((double)value->max - average + slack) *
			(average - (double)value->min + slack);
	value->square = fmin(value->square, square * (double)value->weight);
}
