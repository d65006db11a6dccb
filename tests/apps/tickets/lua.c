/* SPDX-License-Identifier: MIT */
/*
 * lua SCRIPT [ARGUMENT...]: runs a Lua script. The functions mark.scope, mark.pair, mark.name and
 * mark.next call another function inside a call of a region. An error in that function leaves them
 * by longjmp(3), without END. The table `arg` has the arguments.
 */
#include <stdio.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <regionstat.h>

/* The first argument is the function, and the others are its arguments. */
static void call(lua_State *lua)
{
	lua_call(lua, lua_gettop(lua) - 1, 0);
}

static int by_scope(lua_State *lua)
{
	REGIONSTAT_SCOPE("scope");
	call(lua);
	return 0;
}

static int by_pair(lua_State *lua)
{
	REGIONSTAT_BEGIN("pair");
	call(lua);
	REGIONSTAT_END("pair");
	return 0;
}

static int by_name(lua_State *lua)
{
	regionstat_begin("name");
	call(lua);
	regionstat_end("name");
	return 0;
}

static int by_next(lua_State *lua)
{
	REGIONSTAT_BEGIN("head");
	REGIONSTAT_NEXT("head", "next");
	call(lua);
	REGIONSTAT_END("next");
	return 0;
}

static const luaL_Reg marks[] = {
	{"scope", by_scope},
	{"pair", by_pair},
	{"name", by_name},
	{"next", by_next},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	lua_State *lua = luaL_newstate();
	if (!lua)
		return 1;
	luaL_openlibs(lua);
	luaL_newlib(lua, marks);
	lua_setglobal(lua, "mark");
	lua_newtable(lua);
	for (int i = 2; i < argc; i++) {
		lua_pushstring(lua, argv[i]);
		lua_rawseti(lua, -2, i - 1);
	}
	lua_setglobal(lua, "arg");
	int failed = luaL_dofile(lua, argv[1]);
	if (failed)
		fprintf(stderr, "lua: %s\n", lua_tostring(lua, -1));
	lua_close(lua);
	return failed;
}
