/* SPDX-License-Identifier: MIT */
/* Run SQL statements with DuckDB on lines of --format ndjson. The input is JSON: a list of
 * statements, and then names of files. The output is a list of rows for each statement. */
const { DuckDBInstance } = require('@duckdb/node-api');

async function main() {
	const [statements, ...files] = JSON.parse(require('fs').readFileSync(0, 'utf8'));
	const instance = await DuckDBInstance.create(':memory:');
	const connection = await instance.connect();
	const names = files.map((file) => `'${file}'`).join(', ');
	await connection.run(`CREATE VIEW lines AS SELECT * FROM read_ndjson_auto([${names}])`);
	const all = [];
	for (const statement of statements)
		all.push((await connection.runAndReadAll(statement)).getRowsJson());
	console.log(JSON.stringify(all));
}

main();
