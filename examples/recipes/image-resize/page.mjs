import { resize } from './resize.mjs';

const input = /** @type {HTMLInputElement} */ (document.querySelector('input[type=file]'));
const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('canvas'));

input.onchange = async () => {
  const [file] = input.files ?? [];
  if (file === undefined) return;
  const bitmap = await createImageBitmap(file);
  const drawn = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  drawn?.drawImage(bitmap, 0, 0);
  const picture = drawn?.getImageData(0, 0, bitmap.width, bitmap.height);
  if (picture === undefined) return;

  const small = await resize(
    { ...sizeOf(picture), data: new Uint8ClampedArray(picture.data) },
    320,
    Math.round((320 * bitmap.height) / bitmap.width),
  );
  Object.assign(canvas, sizeOf(small));
  canvas.getContext('2d')?.putImageData(new ImageData(small.data, small.width), 0, 0);
};

/** @param {{ width: number, height: number }} picture */
const sizeOf = ({ width, height }) => ({ width, height });
