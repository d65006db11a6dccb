/* SPDX-License-Identifier: MIT */
/*
 * This file finds the parent of each region: its nearest dominator (merge.h). It computes
 * dominators by their definition (F. Allen, J. Cocke, "Graph Theoretic Constructs for Program
 * Control Flow Analysis", 1972): a node is dominated by itself, and by all nodes that dominate each
 * of its predecessors. An edge leads from a region to each region whose calls began in it. Node 0
 * represents the code outside of all regions, and node i + 1 represents region i. A set of nodes is
 * stored as a row of bits.
 */
#include "stats/merge.h"

#include <string.h>

struct graph {
	struct rs_arena arena; /* owns the arrays below */
	size_t n_nodes;
	size_t n_words; /* count of 64-bit words in a row of bits */
	uint64_t *ways_in; /* for each node, a row with a bit for each of its predecessors */
	uint64_t *ways_out;
	/* for each node, a row with a bit for each node that dominates it; at first all bits are
	 * set */
	uint64_t *dominators;
	uint64_t *common; /* one scratch row */
	uint32_t *order; /* the nodes, in the order in which they are reached from node 0 */
	bool *is_reached;
	size_t n_reached;
};

static void graph_init(struct graph *graph, size_t n_nodes)
{
	*graph = (struct graph){.n_nodes = n_nodes, .n_words = (n_nodes + 63) / 64};
	struct rs_arena *arena = &graph->arena;
	size_t row = graph->n_words * sizeof(uint64_t);
	graph->ways_in = rs_arena_array(arena, n_nodes, row);
	graph->ways_out = rs_arena_array(arena, n_nodes, row);
	graph->dominators = rs_arena_array(arena, n_nodes, row);
	graph->common = rs_arena_array(arena, 1, row);
	graph->order = rs_arena_array(arena, n_nodes, sizeof(*graph->order));
	graph->is_reached = rs_arena_array(arena, n_nodes, sizeof(*graph->is_reached));
}

static void set_bit(uint64_t *row, size_t bit)
{
	row[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Return the index of the first set bit of a row, from index `bit` on, or SIZE_MAX if there is
 * none. */
static size_t next_bit(const struct graph *graph, const uint64_t *row, size_t bit)
{
	for (size_t word = bit / 64; word < graph->n_words; word++) {
		uint64_t rest = row[word];
		if (word == bit / 64)
			rest &= ~UINT64_C(0) << bit % 64;
		if (rest)
			return word * 64 + (size_t)__builtin_ctzll(rest);
	}
	return SIZE_MAX;
}

static void add_way(struct graph *graph, size_t from, size_t to)
{
	set_bit(&graph->ways_in[to * graph->n_words], from);
	set_bit(&graph->ways_out[from * graph->n_words], to);
}

static void add_ways(struct graph *graph, const struct rs_run *run)
{
	for (size_t i = 0; i < run->n_results; i++) {
		const struct rs_result *result = &run->results[i];
		for (uint32_t p = 0; p < result->n_parents; p++) {
			uint16_t parent = result->parents[p];
			size_t from = parent == RS_NO_REGION ? 0 : 1 + (size_t)parent;
			if (from != 1 + (size_t)result->region)
				add_way(graph, from, 1 + (size_t)result->region);
		}
	}
}

static void reach(struct graph *graph, size_t node)
{
	if (graph->is_reached[node])
		return;
	graph->is_reached[node] = true;
	graph->order[graph->n_reached++] = (uint32_t)node;
}

/* Find the order in which nodes are reached from node 0. Add an edge from node 0 to each node that
 * is not reached. */
static void find_order(struct graph *graph)
{
	reach(graph, 0);
	for (size_t i = 0, unseen = 1; i < graph->n_nodes; i++) {
		while (i == graph->n_reached) {
			if (!graph->is_reached[unseen]) {
				add_way(graph, 0, unseen);
				reach(graph, unseen);
			}
			unseen++;
		}
		const uint64_t *row = &graph->ways_out[graph->order[i] * graph->n_words];
		for (size_t to = next_bit(graph, row, 0); to != SIZE_MAX;
			to = next_bit(graph, row, to + 1))
			reach(graph, to);
	}
}

/* Compute the dominators of a node from those of its predecessors. Return true if the node has
 * fewer of them than before. */
static bool improve(struct graph *graph, size_t node)
{
	size_t bytes = graph->n_words * sizeof(uint64_t);
	const uint64_t *ways_in = &graph->ways_in[node * graph->n_words];
	uint64_t *known = &graph->dominators[node * graph->n_words], *common = graph->common;
	memset(common, node ? 0xff : 0, bytes);
	for (size_t from = next_bit(graph, ways_in, 0); node && from != SIZE_MAX;
		from = next_bit(graph, ways_in, from + 1))
		for (size_t word = 0; word < graph->n_words; word++)
			common[word] &= graph->dominators[from * graph->n_words + word];
	set_bit(common, node);
	if (memcmp(known, common, bytes) == 0)
		return false;
	memcpy(known, common, bytes);
	return true;
}

static size_t count_dominators(const struct graph *graph, size_t node)
{
	size_t n = 0;
	for (size_t word = 0; word < graph->n_words; word++)
		n += (size_t)__builtin_popcountll(graph->dominators[node * graph->n_words + word]);
	return n;
}

/* Return the nearest dominator of a node. Each dominator dominates the nearer ones, so the nearest
 * one has the most dominators. */
static uint16_t find_parent(const struct graph *graph, size_t node)
{
	const uint64_t *row = &graph->dominators[node * graph->n_words];
	size_t wanted = count_dominators(graph, node) - 1;
	for (size_t other = next_bit(graph, row, 1); other < graph->n_nodes;
		other = next_bit(graph, row, other + 1))
		if (other != node && count_dominators(graph, other) == wanted)
			return (uint16_t)(other - 1);
	return RS_NO_REGION;
}

void rs_parents_make(uint16_t *parents, const struct rs_run *run)
{
	struct graph graph;
	bool changes = true;
	graph_init(&graph, 1 + run->n_regions);
	add_ways(&graph, run);
	find_order(&graph);
	memset(graph.dominators, 0xff, graph.n_nodes * graph.n_words * sizeof(uint64_t));
	while (changes) {
		changes = false;
		for (size_t i = 0; i < graph.n_nodes; i++)
			changes |= improve(&graph, graph.order[i]);
	}
	for (size_t region = 0; region < run->n_regions; region++)
		parents[region] = find_parent(&graph, 1 + region);
	rs_arena_finish(&graph.arena);
}
