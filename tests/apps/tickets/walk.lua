-- SPDX-License-Identifier: MIT
-- Random nested calls of regions. Some raise errors, and pcall catches them. arg[1] is the seed,
-- arg[2] the number of walks, and arg[3] their depth. The script prints for each kind of call how
-- many began and how many returned.
math.randomseed(tonumber(arg[1]))
local kinds = { "scope", "pair", "name", "next" }
local entered, returned = {}, {}
for _, kind in ipairs(kinds) do
	entered[kind], returned[kind] = 0, 0
end

local walk

local function marked(kind, depth)
	entered[kind] = entered[kind] + 1
	mark[kind](walk, depth)
	returned[kind] = returned[kind] + 1
end

function walk(depth)
	if depth == 0 then
		return
	end
	for _ = 1, math.random(3) do
		local what = math.random(12)
		if what <= 7 then
			marked(kinds[math.random(#kinds)], depth - 1)
		elseif what <= 10 then
			pcall(walk, depth - 1)
		elseif what == 11 then
			error("out of here")
		end
	end
end

for _ = 1, tonumber(arg[2]) do
	pcall(walk, tonumber(arg[3]))
end
for _, kind in ipairs(kinds) do
	print(kind, entered[kind], returned[kind])
end
