import { htmlText } from '../core/names.ts';
import { sha256 } from '../core/sha256.ts';

/**
 * A page that is one file: no network, no script. The policy allows its own style by its hash and nothing else, so that
 * whatever a log smuggled in could do nothing.
 * @param body markup, in which every text from a log is escaped by `htmlText` already
 */
export function htmlPage(title: string, body: string): string {
  const policy = `default-src 'none'; style-src 'sha256-${base64(sha256(new TextEncoder().encode(PAGE_STYLE)))}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${htmlText(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Style of pages: light or dark by system, light on paper, system fonts. Severities have a colour and a word. */
const PAGE_STYLE = `
:root {
  --ground: #f6f7f9; --card: #ffffff; --ink: #14181f; --soft: #5a6472; --edge: #e2e6ec; --grid: #e8ebf0;
  --fail: #d3343a; --warn: #b26a00; --info: #3557c9; --ok: #1d8a55; --none: #7a8492;
  --fail-soft: #fdecec; --warn-soft: #fff3df; --info-soft: #eaefff; --ok-soft: #e5f6ed; --none-soft: #eef0f3;
  --flight: #0091b3; --shade: 0 1px 2px #10182810, 0 4px 16px #1018280a;
  --c0: #3e63dd; --c1: #d9542b; --c2: #2a9d68; --c3: #8e4ec6; --c4: #b58400; --c5: #0a93b0; --c6: #d6409f; --c7: #6b7280;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117; --card: #161b23; --ink: #e8ecf2; --soft: #98a3b3; --edge: #262e3a; --grid: #222a35;
    --fail: #ff6b70; --warn: #f0ab3c; --info: #86a3ff; --ok: #4cc38a; --none: #8a95a5;
    --fail-soft: #3a171a; --warn-soft: #38280d; --info-soft: #182447; --ok-soft: #10301f; --none-soft: #222933;
    --flight: #35c3e0; --shade: 0 1px 2px #0006;
    --c0: #7d9bff; --c1: #ff8a5c; --c2: #4cc38a; --c3: #bf8df0; --c4: #e0b13a; --c5: #3ac4e0; --c6: #f47cc5; --c7: #9aa4b2;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main, .vehicle, .top > div { max-width: 1040px; margin: 0 auto; padding: 0 24px; }
.top { background: var(--card); border-bottom: 1px solid var(--edge); padding: 32px 0 24px; }
.top.fail { border-top: 5px solid var(--fail); } .top.warn { border-top: 5px solid var(--warn); }
.top.ok { border-top: 5px solid var(--ok); } .top.none { border-top: 5px solid var(--none); }
h1 { font-size: 27px; line-height: 1.25; letter-spacing: -0.015em; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 20px; letter-spacing: -0.01em; margin: 40px 0 14px; display: flex; gap: 10px; align-items: center; }
h3 { font-size: 15.5px; margin: 0; display: inline; }
.by { color: var(--soft); margin: 0; overflow-wrap: anywhere; }
.line1 { display: flex; justify-content: space-between; gap: 24px; align-items: flex-start; }
.verdict { font-weight: 700; font-size: 15px; padding: 7px 16px; border-radius: 999px; white-space: nowrap; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px; margin: 22px 0 0; padding: 0; list-style: none; }
.facts li { border: 1px solid var(--edge); border-radius: 10px; padding: 10px 14px; }
.facts b { display: block; font-size: 21px; line-height: 1.3; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; }
.facts span { color: var(--soft); font-size: 13px; }
.facts .fail b { color: var(--fail); } .facts .warn b { color: var(--warn); } .facts .ok b { color: var(--ok); }
.badge { font-size: 11px; font-weight: 700; letter-spacing: 0.05em; text-transform: uppercase; padding: 2px 8px; border-radius: 999px; white-space: nowrap; }
.badge.fail, .verdict.fail { background: var(--fail-soft); color: var(--fail); }
.badge.warn, .verdict.warn { background: var(--warn-soft); color: var(--warn); }
.badge.info { background: var(--info-soft); color: var(--info); }
.badge.ok, .verdict.ok { background: var(--ok-soft); color: var(--ok); }
.badge.none, .verdict.none { background: var(--none-soft); color: var(--none); }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 12px; box-shadow: var(--shade); padding: 16px 20px; margin: 0 0 12px; overflow: hidden; break-inside: avoid; }
.card.fail { border-left: 4px solid var(--fail); } .card.warn { border-left: 4px solid var(--warn); } .card.info { border-left: 4px solid var(--info); }
.card header { display: flex; gap: 10px; align-items: baseline; flex-wrap: wrap; }
.when { color: var(--soft); font-size: 13px; margin-left: auto; font-variant-numeric: tabular-nums; white-space: nowrap; }
.card p { margin: 8px 0 0; overflow-wrap: anywhere; }
.card .advice { color: var(--soft); }
.evidence { color: var(--soft); font-size: 13px; margin: 10px 0 0; padding: 10px 0 0; border-top: 1px dashed var(--edge); overflow-wrap: anywhere; }
.evidence code { font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.list { list-style: none; margin: 0; padding: 0; }
.list li { display: flex; gap: 12px; padding: 9px 0; border-top: 1px solid var(--edge); align-items: baseline; }
.list li:first-child { border-top: 0; padding-top: 0; } .list li:last-child { padding-bottom: 0; }
.list .badge { min-width: 52px; text-align: center; }
.list a { color: inherit; font-weight: 600; text-decoration-color: var(--edge); text-underline-offset: 3px; }
.chain .when { margin-left: 0; min-width: 64px; text-align: left; } .chain li > span:last-child { flex: 1; }
.list .what { color: var(--soft); overflow-wrap: anywhere; }
details { margin: 0 0 12px; } summary { cursor: pointer; color: var(--soft); padding: 6px 2px; }
details ul { margin: 6px 0 0; padding: 0; list-style: none; }
details li { padding: 5px 0; color: var(--soft); overflow-wrap: anywhere; } details li b { color: var(--ink); font-weight: 600; }
.fold { padding: 4px 20px; margin-bottom: 8px; } .fold > summary { color: var(--ink); padding: 8px 0; } .fold .what { color: var(--soft); font-size: 13.5px; }
.fold > ul { margin: 0 0 12px; }
.fold .plot { box-shadow: none; }
.plot { margin: 0 0 12px; background: var(--card); border: 1px solid var(--edge); border-radius: 12px; padding: 14px 18px 12px; box-shadow: var(--shade); break-inside: avoid; }
.plot figcaption { font-weight: 600; font-size: 13.5px; margin-bottom: 4px; }
.plot > svg, .strip > svg { width: 100%; height: auto; display: block; }
.grid { stroke: var(--grid); stroke-width: 1; } .tick { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
.line { fill: none; stroke-width: 1.6; stroke-linejoin: round; } .dashed { stroke-dasharray: 5 4; }
.limit { stroke-width: 1.2; stroke-dasharray: 2 4; } .limit.warn { stroke: var(--warn); } .limit.fail { stroke: var(--fail); }
.band.flight { fill: var(--flight); opacity: 0.07; } .band.warn { fill: var(--warn); opacity: 0.14; } .band.fail { fill: var(--fail); opacity: 0.14; }
.c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); } .c3 { stroke: var(--c3); }
.c4 { stroke: var(--c4); } .c5 { stroke: var(--c5); } .c6 { stroke: var(--c6); } .c7 { stroke: var(--c7); }
.f0 { fill: var(--c0); } .f1 { fill: var(--c1); } .f2 { fill: var(--c2); } .f3 { fill: var(--c3); }
.f4 { fill: var(--c4); } .f5 { fill: var(--c5); } .f6 { fill: var(--c6); } .f7 { fill: var(--c7); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 6px 0 0; padding: 0; font-size: 12.5px; color: var(--soft); }
.legend svg { width: 18px; height: 8px; margin-right: 6px; vertical-align: middle; } .legend li { overflow-wrap: anywhere; }
.strip { background: var(--card); border: 1px solid var(--edge); border-radius: 12px; padding: 14px 18px; margin: 24px 0 0; box-shadow: var(--shade); }
.strip .mode { opacity: 0.85; } .strip .name { fill: #fff; font-size: 11px; font-weight: 600; }
.strip .air { fill: var(--flight); } .strip .mark.fail { fill: var(--fail); } .strip .mark.warn { fill: var(--warn); }
table { width: 100%; border-collapse: collapse; font-size: 14px; } th { text-align: left; color: var(--soft); font-weight: 600; font-size: 12.5px; }
th, td { padding: 7px 10px 7px 0; border-top: 1px solid var(--edge); vertical-align: top; overflow-wrap: anywhere; } thead th { border-top: 0; }
td.number { font-variant-numeric: tabular-nums; text-align: right; } th.number { text-align: right; }
footer { color: var(--soft); font-size: 13px; padding: 28px 0 48px; }
@media (max-width: 640px) { .line1 { flex-direction: column; gap: 12px; } .when { margin-left: 0; } .list li { flex-wrap: wrap; } }
@media print {
  :root { --ground: #fff; --card: #fff; --ink: #000; --soft: #444; --edge: #ccc; --grid: #e5e5e5; --shade: none; }
  body { font-size: 11.5px; } .top { padding-top: 12px; } h2 { margin-top: 22px; break-after: avoid; } main, .vehicle, .top > div { max-width: none; }
}
`;
