// SPDX-License-Identifier: MIT
// The report is complete without this script: it adds sorting, filtering, keys and a readout.
(() => {
const all = (s, e = document) => [...e.querySelectorAll(s)], body = all('#tree tbody')[0], root = document.body.classList;
if (!body) return;
const rows = [...body.rows], name = r => r.cells[0].querySelector('a').textContent;
const ids = r => r.className.match(/\d+/g);	// its own, then those around it
let key = 0, sign = -1;

// Siblings are sorted within their parent; as a flat list, all are.
function sort() {
	const flat = root.contains('flat'), value = r => +r.cells[key].dataset.v;
	const list = rows.slice();
	if (key || flat) list.sort((a, b) => key ? sign * (value(a) - value(b)) : name(a).localeCompare(name(b)));
	const add = p => list.forEach(r => {
		const [id, ...up] = ids(r);
		if (flat || up.at(-1) == p) { body.append(r); if (!flat) add(id); }
	});
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
// Beside the tree, a panel does not take the focus from it.
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
	else if (e.key == 'Escape') location.hash = '#regions';
	else return;
	e.preventDefault();
};

// Under the pointer: which lengths, how much of the time they and longer calls take.
const text = x => { for (const [u, s] of [['s', 1e9], ['ms', 1e6], ['µs', 1e3]]) if (x >= s) return (x / s).toPrecision(3) + ' ' + u; return x.toFixed(0) + ' ns'; };
const origin = +all('#tree')[0].dataset.a;
all('.plot').forEach(plot => {
	const out = document.createElement('output'), { x: left, width } = all('svg', plot)[0].viewBox.baseVal, share = [];
	plot.previousSibling.append(out);
	const d = all('#d' + plot.closest('.panel').id.slice(1) + ' path')[0].getAttribute('d');
	let x = parseInt(d.slice(1)), y = 0;
	for (const [, c, v] of d.matchAll(/([vh])(-?\d+)/g))
		if (c == 'v') y -= v; else for (let i = 0; i < v; i++) share[x++] = y;
	const sum = (p, q) => share.slice(p, q).reduce((s, v) => s + (v > 1 ? v : 0), 0), whole = sum(0);
	plot.onpointermove = e => {
		const r = plot.getBoundingClientRect(), b = Math.floor((e.clientX - r.left) / r.width * width);
		const pct = v => (100 * v / whole).toFixed(0) + '%', length = i => text(2 ** ((origin + left + i) / 4));
		plot.dataset.x = 1;
		plot.style.setProperty('--x', 100 * (b + .5) / width + '%');
		out.textContent = `${length(b)} to ${length(b + 1)}: ${pct(sum(left + b, left + b + 1))} of the time, longer calls ${pct(sum(left + b + 1))}`;
	};
	plot.onpointerleave = () => { delete plot.dataset.x; out.textContent = ''; };
});
})();
