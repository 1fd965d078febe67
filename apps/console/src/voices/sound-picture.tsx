import { useEffect, useMemo, useRef, type MouseEvent, type RefObject } from 'react';
import { FindingMarks, FrequencyAxis, TimeAxis } from './finding-marks';
import type { Finding } from './findings';
import { envelope, spectrogram, type Sound } from './spectrum';

const COLUMNS = 900;
const ROWS = 256;
const NONE: Finding[] = [];

/** From silence to loud; readable on both themes, because it brings its own ground. */
const COLOURS: [red: number, green: number, blue: number][] = [
  [7, 12, 16],
  [15, 60, 74],
  [22, 128, 104],
  [142, 196, 84],
  [255, 244, 178],
];

/** The sound over time: its waveform, its frequencies, what was found in it, and where the player is. A click goes there. */
export function SoundPicture({
  sound,
  player,
  findings = NONE,
}: {
  sound: Sound;
  player: RefObject<HTMLAudioElement | null>;
  findings?: Finding[];
}) {
  const place = useRef<HTMLDivElement | null>(null);
  useEffect(() => {
    const stop = followPlayer(player.current, place.current, sound.durationSecs);
    return stop;
  }, [player, sound]);
  const seek = ({ clientX, currentTarget }: MouseEvent<HTMLDivElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    if (player.current) player.current.currentTime = ((clientX - left) / width) * sound.durationSecs;
  };
  return (
    <div className="gr-sound" onClick={seek}>
      <Waveform sound={sound} noiseLevel={findings.find(({ level }) => level !== null)?.level ?? null} />
      <div className="gr-spectrogram">
        <Spectrogram sound={sound} />
        <FrequencyAxis highestHz={sound.sampleRate / 2} />
        <FindingMarks
          findings={findings}
          durationSecs={sound.durationSecs}
          highestHz={sound.sampleRate / 2}
        />
      </div>
      <div className="gr-sound-place" ref={place} aria-hidden />
      <TimeAxis durationSecs={sound.durationSecs} />
    </div>
  );
}

function Waveform({ sound, noiseLevel }: { sound: Sound; noiseLevel: number | null }) {
  const path = useMemo(
    () =>
      envelope(sound, COLUMNS)
        .map(([low, high], x) => `M${x} ${50 - high * 49}V${50.5 - low * 49}`)
        .join(''),
    [sound],
  );
  return (
    <svg
      viewBox={`0 0 ${COLUMNS} 100`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Waveform of ${sound.durationSecs.toFixed(1)} seconds`}
    >
      <path d={path} />
      {noiseLevel !== null && (
        <rect
          data-finding="noise"
          width={COLUMNS}
          y={50 - noiseHeight(noiseLevel) / 2}
          height={noiseHeight(noiseLevel)}
        />
      )}
    </svg>
  );
}

/** Both polarities; never too low to be seen. */
function noiseHeight(level: number): number {
  return Math.max(1.5, level * 98);
}

function Spectrogram({ sound }: { sound: Sound }) {
  const canvas = useRef<HTMLCanvasElement | null>(null);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context) paint(context, spectrogram(sound, COLUMNS, ROWS));
  }, [sound]);
  return (
    <canvas
      ref={canvas}
      width={COLUMNS}
      height={ROWS}
      role="img"
      aria-label={`Spectrogram: frequencies from 0 to ${sound.sampleRate / 2_000} kHz over ${sound.durationSecs.toFixed(1)} s`}
    />
  );
}

function paint(context: CanvasRenderingContext2D, columns: Float32Array[]): void {
  const image = context.createImageData(columns.length, ROWS);
  columns.forEach((bands, x) =>
    bands.forEach((share, row) =>
      image.data.set([...colourOf(share), 255], ((ROWS - 1 - row) * columns.length + x) * 4),
    ),
  );
  context.putImageData(image, 0, 0);
}

function colourOf(share: number): number[] {
  const step = Math.min(COLOURS.length - 2, Math.floor(share * (COLOURS.length - 1)));
  const within = share * (COLOURS.length - 1) - step;
  return COLOURS[step]!.map((from, part) => from + (COLOURS[step + 1]![part]! - from) * within);
}

/** Moves the line at every frame while something plays; the page is not drawn again for it. */
function followPlayer(
  player: HTMLAudioElement | null,
  place: HTMLDivElement | null,
  durationSecs: number,
): () => void {
  let frame = 0;
  const follow = () => {
    if (player && place) place.style.left = `${Math.min(1, player.currentTime / durationSecs) * 100}%`;
    frame = requestAnimationFrame(follow);
  };
  follow();
  return () => cancelAnimationFrame(frame);
}
