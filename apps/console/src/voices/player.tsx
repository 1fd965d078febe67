import type { Stretch } from '@app/domain/reviews/recording-places';
import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useKeys } from '../components/keyboard';
import { nextPlace, timeText, type Finding } from './findings';
import { matchedVolumes } from './matched-loudness';
import { SoundStage } from './sound-stage';
import type { Sound } from './spectrum';

/** What is heard before a place, so that it is not over at once. */
const LEAD_SECS = 0.3;
/** Every recording that is louder is turned down to it; what speech has on air (EBU R 128). */
const SAME_LUFS = -23;

export interface Recording {
  url: string;
  /** Null when this browser cannot decode it: it may still play it. */
  sound: Sound | null;
}

/** A reason whose place is to be heard; a new object for each wish. */
export interface RequestedPlace {
  code: string;
}

/**
 * A recording with its picture, its findings, and what plays it: Space, and where there are findings N for the next place and L to
 * repeat it. Before the recording is there, `onListen` fetches it; it plays as soon as it is.
 */
export function Player(props: {
  recording: Recording | null;
  /** Until the recording itself says it. */
  durationSecs: number;
  findings: readonly Finding[];
  /** Integrated loudness, when it was measured. */
  lufs?: number | null;
  requested?: RequestedPlace | null;
  isPending: boolean;
  onListen: () => void;
  /** The playback is under way. */
  onHeard?: () => void;
  /** To the next mark, where N is for something else. */
  markKey?: string;
  aside?: ReactNode;
  children?: ReactNode;
}) {
  const { recording, durationSecs, findings, lufs = null, requested = null, isPending, onListen } = props;
  const { onHeard, markKey = 'n', aside, children } = props;
  const player = useRef<HTMLAudioElement | null>(null);
  const clock = useRef<HTMLSpanElement | null>(null);
  const place = useRef<Stretch | null>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [isLooping, setLooping] = useState(false);
  const [shows, setShows] = useState<'waveform' | 'spectrogram'>('waveform');
  const [isMatched, setMatched] = useLocalStorage({ key: 'greenroom.same-loudness', defaultValue: false });
  const volume = (isMatched && lufs !== null && matchedVolumes([lufs, SAME_LUFS])?.[0]) || 1;
  useEffect(() => {
    if (player.current) player.current.volume = volume;
  }, [volume, recording]);

  const playPlace = (stretch: Stretch) => {
    place.current = stretch;
    if (player.current) playAt(player.current, Math.max(0, stretch.fromSecs - LEAD_SECS));
  };
  const toggle = () => {
    if (!recording) return isPending ? undefined : onListen();
    return player.current?.paused ? playAt(player.current) : player.current?.pause();
  };
  const marks = findings.flatMap(({ stretches }) => stretches);
  const playNextMark = () => {
    const now = player.current?.currentTime ?? 0;
    const { fromSecs = -1, toSecs = -1 } = place.current ?? {};
    const isThere = now >= fromSecs - LEAD_SECS - 0.05 && now <= toSecs;
    const next = nextPlace(marks, isThere ? fromSecs : now || -1);
    if (next) playPlace(next);
  };
  const loop = () => {
    setLooping(!isLooping);
    if (!isLooping && !place.current) playNextMark();
  };
  const hasMarks = recording !== null && marks.length > 0;
  useKeys({ ' ': toggle, [markKey]: hasMarks ? playNextMark : undefined, l: hasMarks ? loop : undefined });

  useEffect(() => {
    if (!recording) return;
    const wish = requested && findings.find(({ codes }) => (codes as string[]).includes(requested.code));
    if (wish?.stretches[0]) playPlace(wish.stretches[0]);
    else if (player.current) playAt(player.current);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a wish is followed once
  }, [requested, recording]);

  const tick = () => {
    const audio = player.current;
    if (!audio) return;
    if (clock.current) clock.current.textContent = timeText(audio.currentTime);
    if (isLooping && place.current && audio.currentTime > place.current.toSecs)
      audio.currentTime = Math.max(0, place.current.fromSecs - LEAD_SECS);
    if (!audio.paused) onHeard?.();
  };
  const sound = recording?.sound ?? null;
  const option = (text: string, isOn: boolean, change: () => void, key?: string) => (
    <Button variant="subtle" aria-pressed={isOn} aria-keyshortcuts={key} onClick={change}>
      {text} {key && <kbd>{key.toUpperCase()}</kbd>}
    </Button>
  );
  return (
    <div className="gr-player" style={{ background: 'var(--sunken)' }} role="group" aria-label="Recording">
      {recording && (
        <audio
          ref={player}
          src={recording.url}
          preload="auto"
          onPlay={() => setPlaying(true)}
          onPause={() => setPlaying(false)}
          onTimeUpdate={tick}
        />
      )}
      <SoundStage
        sound={sound}
        durationSecs={sound?.durationSecs ?? durationSecs}
        player={player}
        findings={findings}
        shows={shows}
        onPlace={recording ? playPlace : onListen}
      >
        {recording && !sound ? 'This browser cannot draw the recording.' : children}
      </SoundStage>
      <Group gap="xs" className="gr-player-bar">
        <ActionIcon
          c="var(--on-accent)"
          size={36}
          radius="xl"
          loading={isPending}
          onClick={toggle}
          aria-label={isPlaying ? 'Pause' : 'Play'}
          aria-keyshortcuts="Space"
        >
          <svg viewBox="0 0 24 24" width={14} height={14} fill="currentColor" aria-hidden>
            <path d={isPlaying ? 'M6 4h4v16H6zM14 4h4v16h-4z' : 'M7 4l13 8-13 8z'} />
          </svg>
        </ActionIcon>
        <Text span miw="7.5rem" c="var(--ink-3)">
          <strong ref={clock} style={{ color: 'var(--ink)' }}>
            {timeText(0)}
          </strong>{' '}
          / {timeText(sound?.durationSecs ?? durationSecs)}
        </Text>
        {aside}
        <Group gap="xs" flex="1 1 auto">
          {hasMarks && option('Loop the mark', isLooping, loop, 'l')}
          {sound && lufs !== null && option('Same loudness', isMatched, () => setMatched(!isMatched))}
          {sound &&
            option('Spectrogram', shows === 'spectrogram', () =>
              setShows(shows === 'waveform' ? 'spectrogram' : 'waveform'),
            )}
          {hasMarks && (
            <Button variant="default" ml="auto" aria-keyshortcuts={markKey} onClick={playNextMark}>
              Next mark <kbd>{markKey.toUpperCase()}</kbd>
            </Button>
          )}
        </Group>
      </Group>
    </div>
  );
}

/** Plays, from a moment if one is named, once the player knows how long the recording is. */
function playAt(player: HTMLAudioElement, secs?: number): void {
  if (player.readyState === HTMLMediaElement.HAVE_NOTHING) {
    player.addEventListener('loadedmetadata', () => playAt(player, secs), { once: true });
    return;
  }
  if (secs !== undefined) player.currentTime = secs;
  // A browser may want a click on the player itself first.
  player.play().catch(() => undefined);
}
