/* SPDX-License-Identifier: MIT */
/* A replacement for the classes of Caliper's library, as a program sees them. It counts each
 * call. */
#include "annotation.h"

#include <atomic>
#include <cstring>

#include "caliper.h"

namespace cali
{

struct Loop::Impl {
	std::atomic<int> n{1};
	bool is_open = true;
};

struct Annotation::Impl {
	std::atomic<int> n{1};
};

Variant::Variant(const char *text)
    : type_and_size(static_cast<uint64_t>(std::strlen(text)) << 32 | CALI_TYPE_STRING), value(text)
{
}

Function::Function(const char *)
{
	caliper_see('b');
}
Function::~Function()
{
	caliper_see('e');
}
ScopeAnnotation::ScopeAnnotation(const char *)
{
	caliper_see('b');
}
ScopeAnnotation::~ScopeAnnotation()
{
	caliper_see('e');
}

Loop::Iteration::Iteration(const Impl *loop, int) : impl(loop)
{
	caliper_see('b');
}
Loop::Iteration::~Iteration()
{
	caliper_see(impl ? 'e' : 's');
}

Loop::Loop(const char *) : impl(new Impl)
{
	caliper_see('b');
}
Loop::Loop(const Loop &other) : impl(other.impl)
{
	impl->n++;
}
Loop::~Loop()
{
	if (--impl->n == 0) {
		end();
		delete impl;
	}
}
Loop::Iteration Loop::iteration(int i) const
{
	return Iteration(impl, i);
}
void Loop::end()
{
	if (impl->is_open)
		caliper_see('e');
	impl->is_open = false;
}

Annotation::Annotation(const char *name, int properties) : impl(new Impl)
{
	cali_create_attribute(name, CALI_TYPE_STRING, properties);
}
Annotation::Annotation(const char *name, const std::map<const char *, Variant> &, int properties)
    : Annotation(name, properties)
{
}
Annotation::Annotation(const Annotation &other) : impl(other.impl)
{
	impl->n++;
}
Annotation &Annotation::operator=(const Annotation &other)
{
	other.impl->n++;
	if (--impl->n == 0)
		delete impl;
	impl = other.impl;
	return *this;
}
Annotation::~Annotation()
{
	if (--impl->n == 0)
		delete impl;
}
Annotation::Guard::Guard(Annotation &annotation) : impl(annotation.impl)
{
	impl->n++;
}
Annotation::Guard::~Guard()
{
	caliper_see('e');
	if (--impl->n == 0)
		delete impl;
}
Annotation &Annotation::begin()
{
	return begin(Variant("true"));
}
Annotation &Annotation::begin(int)
{
	return begin(Variant("number"));
}
Annotation &Annotation::begin(const Variant &)
{
	caliper_see('b');
	return *this;
}
Annotation &Annotation::set(const char *)
{
	caliper_see('s');
	return *this;
}
void Annotation::end()
{
	caliper_see('e');
}

} // namespace cali
