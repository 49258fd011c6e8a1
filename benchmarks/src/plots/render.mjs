// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import { parse, View } from 'vega';
import { compile } from 'vega-lite';

const FONT = 'DejaVu Sans';
/** Pixels of a PNG for each of the SVG. */
const ZOOM = 2;

/** @type {import('vega-lite').Config} */
const config = {
  background: 'white',
  font: `${FONT}, Helvetica, Arial, sans-serif`,
  axis: { labelFontSize: 12, titleFontSize: 13, gridColor: '#e4e4e4', labelColor: '#333' },
  legend: { labelFontSize: 12, titleFontSize: 12, symbolSize: 90, labelLimit: 260, columnPadding: 18 },
  title: { fontSize: 17, subtitleFontSize: 11, subtitleColor: '#555', anchor: 'start', offset: 12, subtitlePadding: 6 },
  facet: { spacing: 40 },
  header: { labelFontSize: 14, titleFontSize: 13 },
  view: { stroke: '#bbb' },
};

/**
 * Draws a figure as SVG and, where the machine has a font, as PNG.
 * @param {import('vega-lite').TopLevelSpec} specification
 * @param {string} directory
 * @param {string} name
 * @returns {Promise<string[]>} the files
 */
export async function draw(specification, directory, name) {
  const { spec } = compile({ ...specification, config });
  const svg = await new View(parse(spec), { renderer: 'none' }).toSVG();
  mkdirSync(directory, { recursive: true });
  const files = [join(directory, `${name}.svg`)];
  writeFileSync(join(directory, `${name}.svg`), `${svg}\n`);
  if (hasFont()) {
    files.push(join(directory, `${name}.png`));
    writeFileSync(join(directory, `${name}.png`), rasterize(svg).render().asPng());
  }
  return files;
}

/** @param {string} svg */
function rasterize(svg) {
  return new Resvg(svg, {
    background: 'white',
    fitTo: { mode: 'zoom', value: ZOOM },
    font: { loadSystemFonts: true, defaultFontFamily: FONT, sansSerifFamily: FONT },
  });
}

/** Without any, text is left out of the picture in silence. */
export function hasFont() {
  const text = '<text y="50" font-family="sans-serif">text</text>';
  return (
    rasterize(`<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99">${text}</svg>`).getBBox() !== undefined
  );
}
