/** Bytes of a protobuf message; a repeated field occurs once for each value. */
const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

const int = (field: number, value: number): Buffer => message(varint(field * 8), varint(value));

function bytes(field: number, value: Buffer | string): Buffer {
  const content = Buffer.from(value);
  return message(varint(field * 8 + 2), varint(content.length), content);
}

const FLOAT = 1;
const INT = 2;
const INTS = 7;
/** Of a tensor. */
const LONG = 7;

function floats(name: string, values: number[], sizes = [values.length]): Buffer {
  const raw = Buffer.from(Float32Array.from(values).buffer);
  return message(...sizes.map((size) => int(1, size)), int(2, FLOAT), bytes(8, name), bytes(9, raw));
}

function longs(name: string, values: number[]): Buffer {
  const raw = Buffer.from(BigInt64Array.from(values, BigInt).buffer);
  return message(int(1, values.length), int(2, LONG), bytes(8, name), bytes(9, raw));
}

function node(type: string, inputs: string[], output: string, ...attributes: Buffer[]): Buffer {
  return message(
    ...inputs.map((input) => bytes(1, input)),
    bytes(2, output),
    bytes(4, type),
    ...attributes.map((attribute) => bytes(5, attribute)),
  );
}

/** A dimension has a size, or a name when it may have any. */
function tensor(name: string, sizes: (number | string)[]): Buffer {
  const known = sizes.map((size) => (typeof size === 'number' ? int(1, size) : bytes(2, size)));
  const dimensions = [bytes(2, 'batch'), ...known].map((dimension) => bytes(1, dimension));
  const type = message(int(1, FLOAT), bytes(2, message(...dimensions)));
  return message(bytes(1, name), bytes(2, bytes(1, type)));
}

/** Largest, smallest or mean of an axis, which disappears (`keep` 0) or is left with one number. */
function reduce(
  type: 'ReduceMax' | 'ReduceMin' | 'ReduceMean',
  [input, output]: [string, string],
  axis: number,
  keep = 1,
) {
  const axes = message(bytes(1, 'axes'), int(8, axis), int(20, INTS));
  const keepdims = message(bytes(1, 'keepdims'), int(3, keep), int(20, INT));
  return node(type, [input], output, axes, keepdims);
}

function model(input: (number | string)[], outputs: number | string, ...content: Buffer[]): Buffer {
  const graph = message(
    ...content,
    bytes(2, 'graph'),
    bytes(11, tensor('input_1', input)),
    bytes(12, tensor('Identity:0', [outputs])),
  );
  return message(int(1, 8), bytes(7, graph), bytes(8, message(bytes(1, ''), int(2, 13))));
}

/**
 * An ONNX model with the inputs and outputs of DNSMOS P.835 and nothing learnt: each output is the largest sample of the
 * window plus its own number. With `onlySilence`, the output for anything louder is NaN.
 */
export function onnxModel({ samples = 144_160, outputs = [3.5, 4, 3], onlySilence = false } = {}): Buffer {
  return model(
    [samples],
    outputs.length,
    bytes(1, reduce('ReduceMax', ['input_1', 'largest'], 1)),
    bytes(1, node('Neg', ['largest'], 'negative')),
    bytes(1, node('Sqrt', ['negative'], 'root')),
    bytes(1, node('Add', [onlySilence ? 'root' : 'largest', 'own'], 'Identity:0')),
    bytes(5, floats('own', outputs)),
  );
}

/**
 * The same for DNSMOS P.808: the output is the smallest number of the spectrogram, which is 1 for silence, plus
 * `outputs`. With `onlySilence`, the output for anything louder is NaN.
 */
export function p808OnnxModel({ shape = [900, 120], outputs = [3], onlySilence = false } = {}): Buffer {
  return model(
    shape,
    outputs.length,
    bytes(1, reduce('ReduceMin', ['input_1', 'row'], 2, 0)),
    bytes(1, reduce('ReduceMin', ['row', 'smallest'], 1)),
    bytes(1, node('Sqrt', ['smallest'], 'root')),
    bytes(1, node('Add', [onlySilence ? 'root' : 'smallest', 'own'], 'Identity:0')),
    bytes(5, floats('own', outputs)),
  );
}

/** Frequencies of the vectors of `speakerOnnxModel`. */
const PITCHES = Array.from({ length: 64 }, (_, n) => 80 * 1.06 ** n);
const KERNEL = 400;

/**
 * An ONNX model with the form of one that describes speakers, from sound at 16 kHz: how much there is of 64 frequencies from
 * 80 Hz to 3 kHz. It distinguishes sounds only by what they consist of.
 */
export function speakerOnnxModel({ samples = 'samples' }: { samples?: number | string } = {}): Buffer {
  const kernels = PITCHES.flatMap((hz) =>
    Array.from({ length: KERNEL }, (_, n) => Math.sin((2 * Math.PI * hz * n) / 16_000) / KERNEL),
  );
  const strides = message(bytes(1, 'strides'), int(8, KERNEL / 4), int(20, INTS));
  return model(
    [samples],
    PITCHES.length,
    bytes(1, node('Unsqueeze', ['input_1', 'axis'], 'channel')),
    bytes(1, node('Conv', ['channel', 'kernels'], 'waves', strides)),
    bytes(1, node('Abs', ['waves'], 'sizes')),
    bytes(1, reduce('ReduceMean', ['sizes', 'Identity:0'], 2, 0)),
    bytes(5, longs('axis', [1])),
    bytes(5, floats('kernels', kernels, [PITCHES.length, 1, KERNEL])),
  );
}

/** The same from 80 mel bands: how much each moves. */
export function speakerBandsOnnxModel({ bands = 80 } = {}): Buffer {
  return model(
    ['frames', bands],
    bands,
    bytes(1, node('Abs', ['input_1'], 'sizes')),
    bytes(1, reduce('ReduceMean', ['sizes', 'Identity:0'], 1, 0)),
  );
}

/** A model from sound to what no model of speakers returns. */
export function noSpeakerOnnxModel(returned: 'too few' | 'zeros' | 'the same' | 'its input'): Buffer {
  if (returned === 'its input')
    return model(['samples'], 'samples', bytes(1, node('Abs', ['input_1'], 'Identity:0')));
  const own = Array.from({ length: returned === 'too few' ? 3 : 64 }, () =>
    returned === 'the same' ? 1 : 0,
  );
  return model(
    ['samples'],
    own.length,
    bytes(1, reduce('ReduceMax', ['input_1', 'largest'], 1)),
    bytes(1, node('Mul', ['largest', 'zero'], 'nothing')),
    bytes(1, node('Add', [returned === 'too few' ? 'largest' : 'nothing', 'own'], 'Identity:0')),
    bytes(5, floats('zero', [0])),
    bytes(5, floats('own', own)),
  );
}
