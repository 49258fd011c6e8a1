// The document of the page. Scripts and styles are files of their own: its policy allows no other ones.

export const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
<title>Sluice view</title>
<body>
<header>
  <h1>Sluice view</h1>
  <p id="program"></p>
  <p id="state" role="status">Connecting</p>
</header>
<div class="controls" role="group" aria-label="Controls">
  <button type="button" id="pause" aria-pressed="false" aria-keyshortcuts="p">Pause</button>
  <button type="button" id="step" aria-keyshortcuts="s">Step</button>
  <label class="filter">Filter <input type="search" id="filter" autocomplete="off" spellcheck="false" aria-keyshortcuts="/" placeholder="name, kind, #agent, deadlock"></label>
  <label class="check"><input type="checkbox" id="used"> Only in use</label>
  <label id="arenas" hidden>Arena <select></select></label>
</div>
<main>
  <p id="failure" role="alert" hidden></p>
  <section aria-labelledby="h-findings">
    <h2 id="h-findings">What looks wrong</h2>
    <p id="heads" class="hidden" role="status"></p>
    <div id="findings"></div>
  </section>
  <section aria-labelledby="h-gates">
    <h2 id="h-gates">Gates</h2>
    <p class="legend">Left of a gate: the agents inside. Right of it: the agents in line, the longest wait first. Dashed edge: it awaits, and its thread runs. Bracket: the agents that will enter together. Grey with ✕: its thread has ended. Red: deadlock.</p>
    <div id="gates"></div>
    <p id="more-gates" class="note"></p>
  </section>
  <section aria-labelledby="h-primitives">
    <h2 id="h-primitives">Primitives <span class="note" id="count-primitives"></span></h2>
    <div class="scroll" role="region" aria-labelledby="h-primitives" tabindex="0"><table id="primitives"><caption class="hidden">Primitives: press a column to sort</caption></table></div>
  </section>
  <section aria-labelledby="h-agents">
    <h2 id="h-agents">Agents <span class="note" id="count-agents"></span></h2>
    <div class="scroll" role="region" aria-labelledby="h-agents" tabindex="0"><table id="agents"><caption class="hidden">Agents: press a column to sort</caption></table></div>
  </section>
</main>
<footer><p><kbd>p</kbd> pause or go on · <kbd>s</kbd> one step · <kbd>/</kbd> filter · <kbd>Esc</kbd> no filter. While the page is paused or hidden, it asks the program for nothing.</p></footer>
<noscript><p>This page needs JavaScript.</p></noscript>
<script type="module" src="page.js"></script>
</body>
</html>
`;
