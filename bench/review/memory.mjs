// node memory.mjs short.wav long.wav rounds: grades both again and again, side by side; says how much memory that took.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { argv } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const { AudioThreads } = createRequire(import.meta.url)('../../dist/libs/audio/audio-threads.js');
const [short, long, rounds] = argv.slice(2);
const SHORT_PER_LONG = 20;

const threads = new AudioThreads({ threads: 2 });
const startedAt = performance.now();
await Promise.all([repeat(long, Number(rounds)), repeat(short, Number(rounds) * SHORT_PER_LONG)]);
const secs = (performance.now() - startedAt) / 1e3;
await sleep(500);
const afterMb = process.memoryUsage.rss() / 1e6;
await threads.close();
console.log(JSON.stringify({ peakMb: peakMb(), afterMb, secs }));

async function repeat(path, count) {
  for (let n = 0; n < count; n++) await threads.measure(await readFile(path), { handOver: true });
}

/** As the kernel has seen it, so that nothing is missed between two looks. */
function peakMb() {
  const kb = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return (Number(kb) * 1024) / 1e6;
}
