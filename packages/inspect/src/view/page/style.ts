// The styles of the page.

export const STYLE = `:root {
  color-scheme: light dark;
  --bg: #f7f7f5; --card: #fff; --ink: #1c2024; --muted: #5c646d; --line: #dfe1e4; --accent: #0b6475; --bad: #b3261e; --wait: #8f4b00; --on-chip: #fff;
  --c1: #2f6fd0; --c2: #b84d12; --c3: #187756; --c4: #a3479a; --c5: #7d6200; --c6: #14708b; --c7: #c23b55; --c8: #6c5fc7;
  --sluice-ink: var(--ink); --sluice-muted: var(--muted); --sluice-line: var(--line); --sluice-on-chip: var(--on-chip); --sluice-bad: var(--bad);
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #14171a; --card: #1c2024; --ink: #e9ebed; --muted: #9aa3ad; --line: #343a41; --accent: #66d9e8; --bad: #ff8a80; --wait: #f0b26b; --on-chip: #10151c;
    --c1: #7db0ff; --c2: #f2975f; --c3: #5fc9a2; --c4: #dd8fd4; --c5: #d6b84a; --c6: #63c5e0; --c7: #f2849a; --c8: #afa4f7;
  }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; -webkit-text-size-adjust: 100% }
h1, h2, p { margin: 0 }
h1 { font-size: 20px; font-weight: 650 }
h2 { font-size: 15px; font-weight: 650; margin-bottom: 8px }
header, .controls, main, footer { max-width: 1400px; margin: 0 auto; padding: 0 20px }
header { display: flex; flex-wrap: wrap; gap: 2px 16px; align-items: baseline; padding-top: 16px }
#program, .note, .legend, footer { color: var(--muted); font-weight: 400; font-size: 13px }
#state { margin-left: auto; font-size: 13px; font-weight: 600 }
#state::before { content: ''; display: inline-block; width: 8px; height: 8px; margin-right: 6px; border-radius: 50%; background: var(--muted) }
[data-state='live'] #state::before { background: #1e9e63 }
[data-state='lost'] #state { color: var(--bad) }
.controls { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; padding-top: 10px; padding-bottom: 10px; position: sticky; top: 0; background: var(--bg); z-index: 1 }
button, input, select { font: inherit; color: inherit }
.controls button, .controls input[type='search'], .controls select { min-height: 36px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); padding: 0 12px }
.controls button { min-width: 76px; cursor: pointer; font-weight: 550 }
#pause[aria-pressed='true'] { background: var(--accent); color: var(--bg); border-color: var(--accent) }
.filter { display: flex; align-items: center; gap: 8px; flex: 1 1 220px }
.filter input { flex: 1; min-width: 0 }
.check { display: flex; align-items: center; gap: 6px; min-height: 36px }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
main { display: grid; gap: 14px }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 14px 16px; min-width: 0 }
.legend { margin-bottom: 12px }
#gates { min-height: 40px }
#gates svg { display: block; max-width: 100% }
#failure { background: var(--card); border: 1px solid var(--bad); color: var(--bad); border-radius: 12px; padding: 14px 16px }
.finding { border-left: 3px solid var(--wait); padding-left: 10px; margin-top: 8px; font-size: 14px }
.finding.deadlock { border-color: var(--bad) }
.finding strong { font-weight: 600 }
.finding.deadlock strong { color: var(--bad) }
.finding ul { margin: 2px 0 0; padding-left: 18px; overflow-wrap: anywhere }
.fine { color: var(--muted); font-size: 14px }
.scroll { overflow-x: auto; margin: 0 -16px; padding: 0 16px }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: top }
th { font-weight: 600; color: var(--muted); padding-top: 0 }
td.wide { white-space: normal; min-width: 12em; overflow-wrap: anywhere }
th button { border: 0; background: none; padding: 4px 0; cursor: pointer; font-weight: 600; white-space: nowrap }
th button::after { content: '\\a0\\a0'; font-size: 11px }
th[aria-sort='ascending'] button::after { content: '\\a0▲' }
th[aria-sort='descending'] button::after { content: '\\a0▼' }
th.number, td.number { text-align: right }
tbody th { color: inherit; font-weight: 500; padding-top: 3px; max-width: 26em; overflow: hidden; text-overflow: ellipsis }
tbody th button { padding: 0; font-weight: 550; color: var(--accent); overflow: hidden; text-overflow: ellipsis; max-width: 100% }
tbody th button::after { content: none }
tr.deadlock td, tr.deadlock th, tr.deadlock th button { color: var(--bad) }
tr.dead { opacity: 0.6 }
tr.dead th button { text-decoration: line-through }
kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 5px; font: inherit }
footer { padding-top: 14px; padding-bottom: 28px }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media (max-width: 640px) {
  header, .controls, main, footer { padding-left: 10px; padding-right: 10px }
  .controls { position: static }
  section { padding: 12px }
  .scroll { margin: 0 -12px; padding: 0 12px }
  .controls button { flex: 1 }
  .filter { flex-basis: 100% }
  tbody th { max-width: 10em }
  td.wide { min-width: 9em }
}
`;
