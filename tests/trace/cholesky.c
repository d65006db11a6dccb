/* SPDX-License-Identifier: MIT */
/*
 * cholesky [TILES [SIZE [THREADS]]]: factorize a symmetric matrix of TILES x TILES tiles, each of
 * SIZE x SIZE numbers, on THREADS threads (8, 96, 4). Each step on a tile is a call of its region:
 * potrf, trsm, syrk or gemm, as LAPACK and BLAS name them. A thread without a task that can run is
 * in "wait". The program checks the result.
 */
#include <math.h>

#include "../apps/check.h"
#include "regionstat.h"

enum kind { POTRF, TRSM, SYRK, GEMM };
struct task {
	enum kind kind;
	unsigned i, j, k;
	int is_taken;
};

static unsigned tiles = 8, size = 96;
static double *matrix; /* the lower tiles, each row by row */
static unsigned *version; /* for each tile: how many steps have changed it */
static struct task *tasks;
static size_t n_tasks, first_left;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static double *tile(unsigned i, unsigned j)
{
	return matrix + ((size_t)i * tiles + j) * size * size;
}
static unsigned *version_of(unsigned i, unsigned j)
{
	return &version[i * tiles + j];
}

/* a = l, where l l' = a */
static void potrf(double *a)
{
	for (unsigned j = 0; j < size; j++) {
		for (unsigned k = 0; k < j; k++)
			for (unsigned i = j; i < size; i++)
				a[i * size + j] -= a[i * size + k] * a[j * size + k];
		double root = sqrt(a[j * size + j]);
		for (unsigned i = j; i < size; i++)
			a[i * size + j] /= root;
	}
}

/* b = b / l' */
static void trsm(const double *l, double *b)
{
	for (unsigned i = 0; i < size; i++)
		for (unsigned j = 0; j < size; j++) {
			double sum = b[i * size + j];
			for (unsigned k = 0; k < j; k++)
				sum -= b[i * size + k] * l[j * size + k];
			b[i * size + j] = sum / l[j * size + j];
		}
}

/* c = c - a b' */
static void gemm(const double *a, const double *b, double *c)
{
	for (unsigned i = 0; i < size; i++)
		for (unsigned j = 0; j < size; j++) {
			double sum = 0;
			for (unsigned k = 0; k < size; k++)
				sum += a[i * size + k] * b[j * size + k];
			c[i * size + j] -= sum;
		}
}

static void run(const struct task *t)
{
	unsigned long long cube = (unsigned long long)size * size * size;
	switch (t->kind) {
	case POTRF: {
		REGIONSTAT_SCOPE("potrf");
		potrf(tile(t->k, t->k));
		REGIONSTAT_WORK("potrf", 0, cube / 3);
		break;
	}
	case TRSM: {
		REGIONSTAT_SCOPE("trsm");
		trsm(tile(t->k, t->k), tile(t->i, t->k));
		REGIONSTAT_WORK("trsm", 0, cube);
		break;
	}
	case SYRK: {
		REGIONSTAT_SCOPE("syrk");
		gemm(tile(t->i, t->k), tile(t->i, t->k), tile(t->i, t->i));
		REGIONSTAT_WORK("syrk", 0, 2 * cube);
		break;
	}
	case GEMM: {
		REGIONSTAT_SCOPE("gemm");
		gemm(tile(t->i, t->k), tile(t->j, t->k), tile(t->i, t->j));
		REGIONSTAT_WORK("gemm", 0, 2 * cube);
		break;
	}
	}
}

/* A task can run when the tiles that it reads are final, and all earlier steps have changed the
 * tile that it writes. */
static int can_run(const struct task *t)
{
	switch (t->kind) {
	case POTRF:
		return *version_of(t->k, t->k) == t->k;
	case TRSM:
		return *version_of(t->k, t->k) > t->k && *version_of(t->i, t->k) == t->k;
	case SYRK:
		return *version_of(t->i, t->k) > t->k && *version_of(t->i, t->i) == t->k;
	case GEMM:
		return *version_of(t->i, t->k) > t->k && *version_of(t->j, t->k) > t->k &&
		       *version_of(t->i, t->j) == t->k;
	}
	return 0;
}

static void add(enum kind kind, unsigned i, unsigned j, unsigned k)
{
	tasks[n_tasks++] = (struct task){kind, i, j, k, 0};
}

static void make_tasks(void)
{
	tasks = calloc((size_t)tiles * tiles * tiles + tiles, sizeof(*tasks));
	for (unsigned k = 0; k < tiles; k++) {
		add(POTRF, k, k, k);
		for (unsigned i = k + 1; i < tiles; i++)
			add(TRSM, i, k, k);
		for (unsigned i = k + 1; i < tiles; i++) {
			add(SYRK, i, i, k);
			for (unsigned j = k + 1; j < i; j++)
				add(GEMM, i, j, k);
		}
	}
}

/* Take a task that can run, or wait for one. Return NULL if all are taken. */
static struct task *take(void)
{
	while (first_left < n_tasks && tasks[first_left].is_taken)
		first_left++;
	if (first_left == n_tasks)
		return NULL;
	for (size_t i = first_left; i < n_tasks; i++)
		if (!tasks[i].is_taken && can_run(&tasks[i])) {
			tasks[i].is_taken = 1;
			return &tasks[i];
		}
	REGIONSTAT_SCOPE("wait");
	pthread_cond_wait(&changed, &lock);
	return &tasks[n_tasks]; /* none yet */
}

static void *work(void *unused)
{
	struct task *task;
	pthread_mutex_lock(&lock);
	while ((task = take())) {
		if (task == &tasks[n_tasks])
			continue;
		pthread_mutex_unlock(&lock);
		run(task);
		pthread_mutex_lock(&lock);
		++*version_of(task->i, task->j);
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

/* The factor whose product is the matrix: 1 below the diagonal, and `order` on it. */
static double factor(unsigned row, unsigned column, unsigned order)
{
	return row == column ? order : row > column ? 1 : 0;
}

int main(int argc, char **argv)
{
	tiles = argc > 1 ? (unsigned)atoi(argv[1]) : tiles;
	size = argc > 2 ? (unsigned)atoi(argv[2]) : size;
	unsigned n_threads = argc > 3 ? (unsigned)atoi(argv[3]) : 4, order = tiles * size;
	double worst = 0;
	matrix = calloc((size_t)order * order, sizeof(*matrix));
	version = calloc((size_t)tiles * tiles, sizeof(*version));
	for (unsigned r = 0; r < order; r++)
		for (unsigned c = 0; c <= r; c++)
			tile(r / size, c / size)[r % size * size + c % size] =
				c + (c == r ? (double)order * order : order);
	for (unsigned d = 0; d < tiles; d++) /* the diagonal tiles are symmetric */
		for (unsigned r = 0; r < size; r++)
			for (unsigned c = r + 1; c < size; c++)
				tile(d, d)[r * size + c] = tile(d, d)[c * size + r];
	make_tasks();
	pthread_t *threads = start_threads(n_threads - 1, work, NULL, 0);
	work(NULL);
	join_threads(n_threads - 1, threads);
	for (unsigned r = 0; r < order; r++)
		for (unsigned c = 0; c <= r; c++)
			worst = fmax(
				worst, fabs(tile(r / size, c / size)[r % size * size + c % size] -
					       factor(r, c, order)));
	printf("%zu tasks, error %g\n", n_tasks, worst);
	return worst > 1e-6;
}
