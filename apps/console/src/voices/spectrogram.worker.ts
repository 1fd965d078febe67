import { spectrogram } from './spectrum';

export interface Drawing {
  samples: Float32Array;
  columns: number;
  rows: number;
}

/** From silence to loud; readable on both themes, because it brings its own ground. */
const COLOURS: [red: number, green: number, blue: number][] = [
  [7, 12, 16],
  [15, 60, 74],
  [22, 128, 104],
  [142, 196, 84],
  [255, 244, 178],
];

/** Draws a spectrogram beside the page, which stays free to play. */
addEventListener('message', ({ data: { samples, columns, rows } }: MessageEvent<Drawing>) => {
  const image = new ImageData(columns, rows);
  spectrogram(samples, columns, rows).forEach((bands, x) =>
    bands.forEach((share, row) => paint(image.data, ((rows - 1 - row) * columns + x) * 4, share)),
  );
  postMessage(image);
});

function paint(pixels: Uint8ClampedArray, at: number, share: number): void {
  const step = Math.min(COLOURS.length - 2, Math.floor(share * (COLOURS.length - 1)));
  const within = share * (COLOURS.length - 1) - step;
  for (let part = 0; part < 3; part++) {
    const from = COLOURS[step]![part]!;
    pixels[at + part] = from + (COLOURS[step + 1]![part]! - from) * within;
  }
  pixels[at + 3] = 255;
}
