import { useEffect, useMemo, useRef, type MouseEvent, type RefObject } from 'react';
import { envelope, spectrogram, type Sound } from './spectrum';

const COLUMNS = 900;
const ROWS = 256;

/** From silence to loud; readable on both themes, because it brings its own ground. */
const COLOURS: [red: number, green: number, blue: number][] = [
  [7, 12, 16],
  [15, 60, 74],
  [22, 128, 104],
  [142, 196, 84],
  [255, 244, 178],
];

/** The sound over time: its waveform, its frequencies, and where the player is. A click goes there. */
export function SoundPicture({
  sound,
  player,
}: {
  sound: Sound;
  player: RefObject<HTMLAudioElement | null>;
}) {
  const place = useRef<HTMLDivElement | null>(null);
  useEffect(() => followPlayer(player.current, place.current, sound.durationSecs), [player, sound]);
  const seek = ({ clientX, currentTarget }: MouseEvent<HTMLDivElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    if (player.current) player.current.currentTime = ((clientX - left) / width) * sound.durationSecs;
  };
  return (
    <div className="gr-sound" onClick={seek}>
      <Waveform sound={sound} />
      <Spectrogram sound={sound} />
      <div className="gr-sound-place" ref={place} aria-hidden />
      <div className="gr-dimmed gr-sound-axis">
        <span>0 s</span>
        <span>Frequencies from 0 to {sound.sampleRate / 2_000} kHz, upwards</span>
        <span>{sound.durationSecs.toFixed(1)} s</span>
      </div>
    </div>
  );
}

function Waveform({ sound }: { sound: Sound }) {
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
    </svg>
  );
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
      aria-label="Spectrogram: frequencies over time"
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
