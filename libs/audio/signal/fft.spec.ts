import { PowerSpectrum } from './fft';
import { noise } from '../../../test/support/audio/signals';

/** By the definition of the transform. */
function powerAt(bin: number, frame: Float32Array): number {
  let [re, im] = [0, 0];
  frame.forEach((sample, n) => {
    const angle = (2 * Math.PI * bin * n) / frame.length;
    re += sample * Math.cos(angle);
    im -= sample * Math.sin(angle);
  });
  return re * re + im * im;
}

// Halves of 4 to 1,024 samples: an even and an odd number of stages.
it.each([8, 16, 32, 256, 512, 2_048])(
  'the power of every bin of %i samples is that of the definition',
  (size) => {
    const frame = noise(1, size, 0.2, size);
    const spectrum = new PowerSpectrum(size, new Float64Array(size).fill(1));
    const power = new Float32Array(spectrum.bins);
    spectrum.measure(frame, 0, power);
    const mean = power.reduce((sum, value) => sum + value, 0) / power.length;
    expect(power).toHaveLength(size / 2 + 1);
    power.forEach((value, bin) => expect(Math.abs(value - powerAt(bin, frame))).toBeLessThan(mean * 1e-5));
  },
);
