// SPDX-License-Identifier: MIT
// The report is complete without this script: it adds sorting, filtering and keys.
(() => {
const all = (s, e = document) => [...e.querySelectorAll(s)], body = all('#tree tbody')[0], root = document.body.classList;
if (!body) return;
const rows = [...body.rows], name = r => r.cells[0].querySelector('a').textContent;
const numbers = r => r.className.match(/\d+/g), shown = new Set(rows.map(r => numbers(r)[0]));
// For each row, its own number, and then the numbers of the rows around it.
const ids = new Map(rows.map(r => [r, numbers(r).filter(n => shown.has(n))]));
let key = 0, sign = -1;

// In the tree, siblings are sorted within their parent. In the flat list, all rows are sorted.
function sort() {
	const flat = root.contains('flat'), value = r => +(r.cells[key].dataset.v ?? -1), within = {};
	const list = rows.slice();
	if (key || flat) list.sort((a, b) => key ? sign * (value(a) - value(b)) : name(a).localeCompare(name(b)));
	if (flat) return body.append(...list);
	for (const r of list) (within[ids.get(r).slice(1).at(-1)] ??= []).push(r);
	const add = p => within[p]?.forEach(r => { body.append(r); add(ids.get(r)[0]); });
	add();
}
all('#tree th[data-k]').forEach((th, k) => {
	const b = document.createElement('button');
	b.append(...th.childNodes);
	th.append(b);
	b.onclick = () => {
		all('#tree [aria-sort]').forEach(x => x.removeAttribute('aria-sort'));
		if (k == key && sign > 0) { key = 0; sign = -1; } else { sign = k == key ? 1 : -1; key = k; }
		if (key) th.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
		sort();
	};
});
const tools = all('.tools')[0];
tools.innerHTML = '<input type=search placeholder="Filter regions" aria-label="Filter regions"><button>Flat list</button><button>Collapse all</button>'
	+ '<span><kbd>/</kbd> filter <kbd>j</kbd> <kbd>k</kbd> move <kbd>←</kbd> <kbd>→</kbd> fold <kbd>Enter</kbd> show</span>';
const find = all('input', tools)[0], [flat, fold] = all('button', tools);
find.oninput = () => rows.forEach(r => r.hidden = !name(r).toLowerCase().includes(find.value.toLowerCase()));
flat.onclick = () => { flat.textContent = root.toggle('flat') ? 'Tree' : 'Flat list'; if (!key) { key = 1; sign = -1; } sort(); };
fold.onclick = () => {
	const boxes = all('#tree input'), open = !boxes.some(b => b.checked);
	boxes.forEach(b => b.checked = open);
	fold.textContent = open ? 'Collapse all' : 'Expand all';
};
// If the panel is beside the tree, the focus stays in the tree.
body.addEventListener('click', e => {
	const a = e.target.closest('a');
	if (a && matchMedia('(min-width:1640px)').matches) setTimeout(() => a.focus({ preventScroll: true }));
});
body.onclick = e => { if (!e.target.closest('a,input') && getSelection().isCollapsed) e.target.closest('tr').querySelector('a').click(); };

document.onkeydown = e => {
	if (e.ctrlKey || e.altKey || e.metaKey) return;
	if (e.target == find) {
		if (e.key == 'Escape') { find.value = ''; find.oninput(); find.blur(); }
		return;
	}
	const seen = rows.filter(r => r.offsetParent).sort((a, b) => a.rowIndex - b.rowIndex);
	const at = seen.indexOf(document.activeElement.closest('#tree tbody tr')), box = at >= 0 && seen[at].querySelector('input');
	const go = n => seen[Math.max(0, Math.min(seen.length - 1, n))].querySelector('a').focus();
	if (e.key == '/') find.focus();
	else if (e.key == 'j' || (at >= 0 && e.key == 'ArrowDown')) go(at + 1);
	else if (e.key == 'k' || (at >= 0 && e.key == 'ArrowUp')) go(at - 1);
	else if (box && e.key == 'ArrowLeft') box.checked = false;
	else if (box && e.key == 'ArrowRight') box.checked = true;
	else if (e.key == 'Escape') {
		// In the tree, the keys then continue from the region whose panel was shown.
		const a = location.hash && rows.map(r => r.cells[0].querySelector('a')).find(a => a.hash == location.hash);
		location.hash = '#regions';
		if (a) a.focus();
	} else return;
	e.preventDefault();
};
})();
