import type { Stretch } from '@app/domain/reviews/recording-places';
import { Anchor } from '@mantine/core';
import {
  useEffect,
  useMemo,
  useRef,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { axisValues, COLOURS, nextPlace, timeText, type Finding, type FindingKind } from './findings';
import type { Drawing } from './spectrogram.worker';
import { envelope, type Sound } from './spectrum';

const BARS = 180;
const COLUMNS = 900;
const ROWS = 256;
/** Samples from here on count as cut off where the review has found that. */
const FULL_SCALE = 0.97;
const ARROW_SECS = 0.5;

/**
 * A recording over time: its waveform or its frequencies, what was found in it as a lane each on the same axis, and where the
 * player is. A click goes there.
 */
export function SoundStage(props: {
  /** Null before it is there, and where it cannot be drawn. */
  sound: Sound | null;
  durationSecs: number;
  player: RefObject<HTMLAudioElement | null>;
  findings: readonly Finding[];
  shows?: 'waveform' | 'spectrogram';
  onPlace: (stretch: Stretch) => void;
  children?: ReactNode;
}) {
  const { sound, durationSecs, player, findings, shows = 'waveform', onPlace, children } = props;
  const stage = useRef<HTMLDivElement | null>(null);
  useEffect(() => {
    const stop = followPlayer(player, stage.current, durationSecs);
    return stop;
  }, [player, sound, durationSecs]);
  return (
    <div className="gr-stage" ref={stage}>
      <Picture sound={sound} durationSecs={durationSecs} player={player}>
        {sound && (shows === 'waveform' ? <Waveform sound={sound} findings={findings} /> : null)}
        {sound && shows === 'spectrogram' && <Spectrogram sound={sound} />}
        {sound && (
          <Marks
            findings={findings}
            durationSecs={durationSecs}
            highestHz={shows === 'spectrogram' ? sound.sampleRate / 2 : null}
          />
        )}
        {children}
      </Picture>
      <ul className="gr-lanes" aria-label="Places in the recording">
        {findings.map((finding) => (
          <FindingLane key={finding.kind} {...{ finding, durationSecs, player, onPlace }} />
        ))}
      </ul>
      <div className="gr-seconds" aria-hidden>
        {axisValues(durationSecs, 6)
          .filter((secs) => secs <= durationSecs * 0.96)
          .map((secs) => (
            <span key={secs} style={{ left: `${(secs / durationSecs) * 100}%` }}>
              {Number(secs.toFixed(1))} s
            </span>
          ))}
      </div>
    </div>
  );
}

/** The picture as what one moves along: by a click, or by the arrow keys. */
function Picture(
  props: Pick<Parameters<typeof SoundStage>[0], 'sound' | 'durationSecs' | 'player' | 'children'>,
) {
  const { sound, durationSecs, player, children } = props;
  if (!sound) return <div className="gr-sound">{children}</div>;
  const go = (secs: number) => {
    if (player.current) player.current.currentTime = Math.min(durationSecs, Math.max(0, secs));
  };
  const seek = ({ clientX, currentTarget }: MouseEvent<HTMLDivElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    go(((clientX - left) / width) * durationSecs);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -ARROW_SECS, ArrowRight: ARROW_SECS }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    go((player.current?.currentTime ?? 0) + step);
  };
  return (
    <div
      className="gr-sound"
      style={{ cursor: 'pointer' }}
      role="slider"
      tabIndex={0}
      aria-label="Position in the recording"
      aria-valuemin={0}
      aria-valuemax={durationSecs}
      aria-valuenow={0}
      onClick={seek}
      onKeyDown={press}
    >
      {children}
      <i className="gr-playhead" aria-hidden />
    </div>
  );
}

/** Mirrored bars, those that were played darker, and caps where the sound is cut off. */
function Waveform({ sound, findings }: { sound: Sound; findings: readonly Finding[] }) {
  const { bars, caps } = useMemo(() => {
    const clipped = findings.find(({ kind }) => kind === 'clipped')?.stretches ?? [];
    const heights = envelope(sound, BARS);
    const isCut = (x: number) => {
      const [from, to] = [x, x + 1].map((bar) => (bar / BARS) * sound.durationSecs) as [number, number];
      return clipped.some(({ fromSecs, toSecs }) => fromSecs < to && toSecs > from);
    };
    return {
      bars: heights.map((height, x) => `M${x + 0.5} ${50 - half(height)}v${2 * half(height)}`).join(''),
      caps: heights
        .map((height, x) =>
          height < FULL_SCALE || !isCut(x)
            ? ''
            : `M${x + 0.5} ${50 - half(height)}v5m0 ${2 * half(height) - 10}v5`,
        )
        .join(''),
    };
  }, [sound, findings]);
  return (
    <svg
      viewBox={`0 0 ${BARS} 100`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Waveform of ${sound.durationSecs.toFixed(1)} seconds`}
    >
      <path d={bars} />
      <path d={bars} className="gr-played" />
      <path d={caps} style={{ stroke: 'var(--bad-mark)' }} />
    </svg>
  );
}

/** Half a bar, in per cent; silence is a dot. Quiet sounds are drawn larger than they are, or speech would be a line. */
const half = (height: number): number => Math.max(0.7, Math.min(1, height) ** 0.7 * 49);

function Spectrogram({ sound }: { sound: Sound }) {
  const canvas = useRef<HTMLCanvasElement | null>(null);
  useEffect(() => {
    const worker = new Worker(new URL('./spectrogram.worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<ImageData>) =>
      canvas.current?.getContext('2d')?.putImageData(data, 0, 0),
    );
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    worker.postMessage({ samples: sound.samples, columns: COLUMNS, rows: ROWS } satisfies Drawing);
    return () => worker.terminate();
  }, [sound]);
  return (
    <>
      <canvas
        ref={canvas}
        width={COLUMNS}
        height={ROWS}
        role="img"
        aria-label={`Spectrogram: frequencies from 0 to ${sound.sampleRate / 2_000} kHz over ${sound.durationSecs.toFixed(1)} s`}
      />
      <div className="gr-kilohertz" aria-hidden>
        {axisValues(sound.sampleRate / 2_000, 5)
          .slice(1)
          .map((kiloHertz) => (
            <span
              key={kiloHertz}
              data-axis
              style={{ bottom: `${(kiloHertz * 200_000) / sound.sampleRate}%` }}
            >
              {kiloHertz} kHz
            </span>
          ))}
      </div>
    </>
  );
}

const colourOf = (kind: FindingKind) => ({ '--mark': `var(--${COLOURS[kind]})` }) as CSSProperties;

const acrossOf =
  (durationSecs: number) =>
  ({ fromSecs, toSecs }: Stretch) => ({
    left: `${Math.min(100, (fromSecs / durationSecs) * 100)}%`,
    width: `${Math.min(100, ((toSecs - fromSecs) / durationSecs) * 100)}%`,
  });

/** The findings over the picture: moments as columns, frequencies as lines where it has any. */
function Marks(props: { findings: readonly Finding[]; durationSecs: number; highestHz: number | null }) {
  const { findings, durationSecs, highestHz } = props;
  return (
    <div className="gr-marks" aria-hidden>
      {findings.map(({ kind, stretches, linesHz }) => (
        <div key={kind} style={colourOf(kind)}>
          {stretches.map((stretch) => (
            <span key={stretch.fromSecs} style={acrossOf(durationSecs)(stretch)} />
          ))}
          {highestHz !== null &&
            linesHz
              .filter((hz) => hz <= highestHz)
              .map((hz) => <hr key={hz} style={{ bottom: `${(hz / highestHz) * 100}%` }} />)}
        </div>
      ))}
    </div>
  );
}

/** What was found, where, and how much of it; its button plays one place after the other. */
function FindingLane(
  props: Pick<Parameters<typeof SoundStage>[0], 'durationSecs' | 'player' | 'onPlace'> & { finding: Finding },
) {
  const { finding, durationSecs, player, onPlace } = props;
  const { kind, label, detail, stretches } = finding;
  const last = useRef(-1);
  const playNext = () => {
    const next = nextPlace(stretches, player.current?.currentTime === 0 ? -1 : last.current);
    if (!next) return;
    last.current = next.fromSecs;
    onPlace(next);
  };
  return (
    <li style={colourOf(kind)}>
      <span className="gr-status">{label}</span>
      <span className="gr-lane-track" aria-hidden>
        {stretches.map((stretch) => (
          <i key={stretch.fromSecs} style={acrossOf(durationSecs)(stretch)} />
        ))}
      </span>
      {stretches.length === 0 ? (
        <span>{detail}</span>
      ) : (
        <Anchor
          component="button"
          type="button"
          fz="sm"
          mih={24}
          aria-label={`${label}, ${detail}: play the next place`}
          onClick={playNext}
        >
          {detail}
        </Anchor>
      )}
    </li>
  );
}

/** Moves the line and the played part at every frame while something plays; the page is not drawn again for it. */
function followPlayer(
  player: RefObject<HTMLAudioElement | null>,
  stage: HTMLDivElement | null,
  durationSecs: number,
): () => void {
  let frame = 0;
  let before = -1;
  const follow = () => {
    const now = player.current?.currentTime ?? 0;
    if (stage && now !== before) {
      before = now;
      stage.style.setProperty('--at', String(Math.min(1, now / durationSecs)));
      const slider = stage.querySelector('[role=slider]');
      slider?.setAttribute('aria-valuenow', now.toFixed(1));
      slider?.setAttribute('aria-valuetext', timeText(now));
    }
    frame = requestAnimationFrame(follow);
  };
  follow();
  return () => cancelAnimationFrame(frame);
}
