// SPDX-License-Identifier: GPL-2.0
/*
 * A flame graph is a picture that needs nothing else: a box for each function, as wide as its share
 * of the stacks, above the one that called it.  A box has a title.  A click on it makes it as wide
 * as the picture.  A field searches names.  Boxes narrower than a fifth of a point are left out.
 */
#include "flame.h"

#include <string.h>

#include "util/svg.h"

#define WIDTH	1200
#define ROW	18
#define TOP	64
#define MARGIN	10

/* Narrower boxes are not drawn. */
#define NARROWEST 0.2

static const char style[] =
	"<style>\n"
	"svg{font:12px sans-serif;background:#fff;color:#222}\n"
	"text{fill:currentColor}\n"
	".f text{fill:#111;font:12px monospace;pointer-events:none}\n"
	".f rect{stroke:#fff;stroke-width:.5;cursor:pointer}\n"
	".f:hover rect{stroke:#000;stroke-width:1}\n"
	".found rect{fill:#c0f!important}\n"
	"input{width:220px;font:12px sans-serif}\n"
	"@media(prefers-color-scheme:dark){svg{background:#1b1b1f;color:#ddd}.f rect{stroke:#1b1b1f}}\n"
	"</style>\n";

static const char script[] =
	"<script><![CDATA[\n"
	"const all=[...document.querySelectorAll('.f')],W=document.documentElement.viewBox.baseVal.width-20;\n"
	"function fit(g){const r=g.firstElementChild.nextElementSibling,t=r.nextElementSibling;\n"
	" const n=Math.floor((+r.getAttribute('width')-6)/7.3),name=g.dataset.name;\n"
	" t.textContent=n<3?'':name.length>n?name.slice(0,n-2)+'..':name;\n"
	" t.setAttribute('x',+r.getAttribute('x')+3)}\n"
	"function zoom(g){const x0=+g.dataset.x,w=+g.dataset.w,d=+g.dataset.d;\n"
	" for(const o of all){const x=+o.dataset.x,ow=+o.dataset.w,r=o.firstElementChild.nextElementSibling;\n"
	"  const over=x<=x0&&x+ow>=x0+w&&+o.dataset.d<=d,inside=x>=x0&&x+ow<=x0+w+1e-6&&+o.dataset.d>=d;\n"
	"  o.style.display=over||inside?'':'none';\n"
	"  r.setAttribute('x',10+(over?0:(x-x0)/w*W));r.setAttribute('width',over?W:ow/w*W);fit(o)}}\n"
	"function search(s){for(const g of all)g.classList.toggle('found',\n"
	" s!==''&&g.dataset.name.toLowerCase().includes(s.toLowerCase()));\n"
	" document.getElementById('hits').textContent=s===''?'':'found in '+\n"
	"  all.filter(g=>g.classList.contains('found')).length+' boxes'}\n"
	"for(const g of all){fit(g);g.addEventListener('click',()=>zoom(g))}\n"
	"document.getElementById('search').addEventListener('input',e=>search(e.target.value));\n"
	"]]></script>\n";

static const char field[] =
	"<input xmlns=\"http://www.w3.org/1999/xhtml\" id=\"search\" placeholder=\"search\"/>\n"
	"</foreignObject>\n";

/* A warm colour that depends on the name alone. */
static unsigned int hue(const char *name)
{
	unsigned int hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash % 56;
}

struct drawing {
	FILE *out;
	double scale;
	u64 all;
	unsigned int height;
};

static void draw(const struct drawing *d, const struct call_node *node, u64 before, size_t level)
{
	double x = MARGIN + before * d->scale, width = node->total * d->scale;
	unsigned int y = d->height - MARGIN - ROW * ((unsigned int)level + 1);

	if (width < NARROWEST)
		return;
	fputs("<g class=\"f\" data-name=\"", d->out);
	svg_text(d->out, node->name);
	fprintf(d->out, "\" data-x=\"%llu\" data-w=\"%llu\" data-d=\"%zu\"><title>",
		(unsigned long long)before, (unsigned long long)node->total, level);
	svg_text(d->out, node->name);
	fprintf(d->out, " (%llu, %.2f%%)</title><rect x=\"%.2f\" y=\"%u\"",
		(unsigned long long)node->total, 100.0 * node->total / d->all, x, y);
	fprintf(d->out, " width=\"%.2f\" height=\"%d\"", width, ROW - 1);
	fprintf(d->out, " fill=\"hsl(%u,80%%,62%%)\"/><text x=\"%.2f\" y=\"%u\"></text></g>\n",
		hue(node->name), x + 3, y + 13);
	for (size_t i = 0; i < node->n; i++) {
		draw(d, &node->v[i], before, level + 1);
		before += node->v[i].total;
	}
}

/**
 * flame_draw() - write the picture
 * @root: the tree, sorted
 * @title: the title of the picture
 * @out: the output file
 */
void flame_draw(const struct call_node *root, const char *title, FILE *out)
{
	unsigned int height = TOP + MARGIN + ROW * (unsigned int)call_tree_depth(root);
	struct drawing d = {
		.out = out, .all = root->total ? root->total : 1, .height = height,
		.scale = (double)(WIDTH - 2 * MARGIN) / (root->total ? root->total : 1),
	};

	svg_begin(out, WIDTH, height);
	fputs(style, out);
	fprintf(out, "<text x=\"%d\" y=\"28\" font-size=\"16\">", MARGIN);
	svg_text(out, title);
	fprintf(out, "</text><foreignObject x=\"%d\" y=\"10\" width=\"240\" height=\"30\">",
		WIDTH - 250);
	fputs(field, out);
	fprintf(out, "<text id=\"hits\" x=\"%d\" y=\"52\"></text>\n", WIDTH - 250);
	draw(&d, root, 0, 0);
	fputs(script, out);
	fputs("</svg>\n", out);
}
