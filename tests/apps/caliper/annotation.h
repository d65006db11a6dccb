/* SPDX-License-Identifier: MIT */
/* The classes of Caliper's public C++ interface (include/caliper/Annotation.h) that the test
 * program uses, with their public members. */
#ifndef ANNOTATION_H
#define ANNOTATION_H

#include <cstdint>
#include <map>

namespace cali
{

class Variant
{
      public:
	explicit Variant(const char *value);
	const void *data() const
	{
		return type_and_size ? value : nullptr;
	}

      private:
	uint64_t type_and_size;
	const void *value;
};

class Function
{
      public:
	explicit Function(const char *name);
	~Function();
};

class ScopeAnnotation
{
      public:
	explicit ScopeAnnotation(const char *name);
	~ScopeAnnotation();
};

class Loop
{
	struct Impl;
	Impl *impl;

      public:
	class Iteration
	{
		const Impl *impl;

	      public:
		Iteration(const Impl *loop, int i);
		~Iteration();
	};
	explicit Loop(const char *name);
	Loop(const Loop &other);
	~Loop();
	Iteration iteration(int i) const;
	void end();
};

class Annotation
{
	struct Impl;
	Impl *impl;

      public:
	explicit Annotation(const char *name, int properties = 0);
	Annotation(const Annotation &other);
	Annotation &operator=(const Annotation &other);
	Annotation(
		const char *name, const std::map<const char *, Variant> &metadata, int properties);
	~Annotation();
	class Guard
	{
		Impl *impl;

	      public:
		explicit Guard(Annotation &annotation);
		~Guard();
	};
	Annotation &begin();
	Annotation &begin(int value);
	Annotation &begin(const Variant &value);
	Annotation &set(const char *value);
	void end();
};

} // namespace cali

#endif
