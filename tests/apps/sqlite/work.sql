-- SPDX-License-Identifier: MIT
-- Work for SQLite's shell while its functions are counted. Every run must make the same calls, so
-- it uses no file, no time of day and no random numbers.
PRAGMA page_size=1024;
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, kind INTEGER, price REAL, parent INTEGER);
CREATE INDEX item_kind ON item (kind, price);
BEGIN;
WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
INSERT INTO item SELECT i, printf('item %05d', i * 7919 % 1500), i % 17, i * 1.25, i / 3 FROM n;
COMMIT;
CREATE TABLE total (kind INTEGER PRIMARY KEY, n INTEGER, price REAL) WITHOUT ROWID;
CREATE TRIGGER gone AFTER DELETE ON item BEGIN
	UPDATE total SET n = n - 1, price = price - old.price WHERE kind = old.kind;
END;
INSERT INTO total SELECT kind, count(*), sum(price) FROM item GROUP BY kind;
CREATE VIEW cheap AS SELECT * FROM item WHERE price < 200;
SELECT kind, count(*), max(name) FROM cheap GROUP BY kind HAVING count(*) > 3 ORDER BY 2 DESC, 1;
DELETE FROM item WHERE id % 11 = 0;
UPDATE item SET name = upper(name) || '!', price = round(price * 1.1, 2) WHERE name LIKE '%7%';
SELECT a.name, b.name FROM item a JOIN item b ON a.parent = b.id WHERE a.kind = 3 LIMIT 20;
WITH RECURSIVE up (id, depth) AS (
	SELECT 1499, 0 UNION ALL SELECT item.parent, depth + 1 FROM up JOIN item ON item.id = up.id)
SELECT max(depth) FROM up;
SELECT kind, name, sum(price) OVER (PARTITION BY kind ORDER BY id ROWS 5 PRECEDING)
	FROM item WHERE id < 60;
SELECT json_group_array(json_object('kind', kind, 'n', n)) FROM total WHERE n > 40;
SELECT value FROM json_each('[1, {"two": 3}, "four"]');
SELECT name GLOB 'ITEM*7*', substr(name, 3, 4), length(hex(name)) FROM item WHERE id < 40;
SELECT 1 FROM nowhere;
SAVEPOINT before;
DELETE FROM item;
ROLLBACK TO before;
RELEASE before;
CREATE TABLE copy AS SELECT * FROM item ORDER BY name COLLATE NOCASE;
ALTER TABLE copy RENAME COLUMN kind TO sort;
VACUUM;
ANALYZE;
EXPLAIN QUERY PLAN SELECT * FROM item WHERE kind = 4 AND price > 100;
PRAGMA integrity_check;
.schema
.dump total
.mode box
SELECT * FROM total LIMIT 4;
SELECT count(*), sum(price), min(name) FROM item UNION SELECT n, price, kind FROM total;
