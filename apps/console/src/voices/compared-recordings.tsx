import type { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import type { RecordingGrade } from '@app/domain/reviews/review-state';
import { againstTargets } from '@app/domain/reviews/recording-targets';
import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { SimpleTable } from '../components/simple-table';
import { useKeys } from '../components/keyboard';
import { UserText } from '../components/inline';
import type { Recording } from './player';
import { findingsOf } from './findings';
import { matchedVolumes } from './matched-loudness';
import { SoundStage } from './sound-stage';
import { GradeBadge } from './voice-badge';

export interface ComparedSide {
  name: string;
  fileName: string;
  grade: RecordingGrade | null;
  measured: RecordingMeasurements | null;
  recording: Recording;
}

const LETTERS = ['A', 'B'] as const;
const SWITCH_KEY = 'x';

/** Two recordings side by side, equally loud. A key switches between them at the same second. */
export function ComparedRecordings({ sides }: { sides: [ComparedSide, ComparedSide] }) {
  const players = [useRef<HTMLAudioElement | null>(null), useRef<HTMLAudioElement | null>(null)] as const;
  const [heard, setHeard] = useState(0);
  const volumes = matchedVolumes(sides.map(({ measured }) => measured?.loudnessLufs ?? null));
  const [first, second] = players;
  useEffect(() => {
    [first, second].forEach(({ current }, n) => {
      if (current) current.volume = volumes?.[n] ?? 1;
    });
  });
  const switchOver = useCallback(() => {
    const from = [first, second][heard]!.current;
    const to = [first, second][1 - heard]!.current;
    if (!from || !to) return;
    const wasPlaying = !from.paused;
    from.pause();
    to.currentTime = Number.isFinite(to.duration)
      ? Math.min(from.currentTime, to.duration)
      : from.currentTime;
    if (wasPlaying) to.play().catch(() => undefined);
    setHeard(1 - heard);
  }, [first, second, heard]);
  useKeys({ [SWITCH_KEY]: switchOver });
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {sides.map((side, n) => (
          <Stack key={LETTERS[n]} gap="xs" role="group" aria-label={`Recording ${LETTERS[n]}`}>
            <Group gap="xs">
              <strong>{LETTERS[n]}</strong>
              <span style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
                <UserText>{side.name}</UserText> · <UserText>{side.fileName}</UserText>
              </span>
              <GradeBadge grade={side.grade} />
            </Group>
            <audio
              ref={players[n]}
              src={side.recording.url}
              controls
              preload="auto"
              aria-label={`Recording ${LETTERS[n]}`}
              style={{ width: '100%' }}
              onPlay={() => {
                players[1 - n]?.current?.pause();
                setHeard(n);
              }}
            />
            <SoundStage
              sound={side.recording.sound}
              durationSecs={side.recording.sound?.durationSecs ?? 1}
              player={players[n]!}
              findings={side.measured ? findingsOf(side.measured) : []}
              onPlace={({ fromSecs }) => {
                if (players[n]?.current) players[n].current.currentTime = fromSecs;
                void players[n]?.current?.play();
              }}
            >
              {!side.recording.sound && 'This browser cannot draw the recording.'}
            </SoundStage>
          </Stack>
        ))}
      </SimpleGrid>
      <Group>
        <Button onClick={switchOver} aria-keyshortcuts={SWITCH_KEY}>
          Switch to {LETTERS[1 - heard]} ({SWITCH_KEY})
        </Button>
        <span className="gr-dimmed">{loudnessText(volumes)}</span>
      </Group>
      <Differences sides={sides} />
    </Stack>
  );
}

function loudnessText(volumes: number[] | null): string {
  if (!volumes) return 'Played as recorded: the loudness of one of them was not measured.';
  const louder = volumes.findIndex((volume) => volume < 1);
  if (louder < 0) return 'Both are equally loud.';
  const decibels = -20 * Math.log10(volumes[louder]!);
  return `${LETTERS[louder]} is turned down by ${decibels.toFixed(1)} dB, so both are equally loud.`;
}

function Differences({ sides }: { sides: [ComparedSide, ComparedSide] }) {
  const [a, b] = sides.map(({ measured }) => (measured ? againstTargets(measured) : null));
  if (!a || !b)
    return (
      <div className="gr-dimmed">
        The measurements of one of them were not stored. Review it again to see them.
      </div>
    );
  const rows = a.map((row, n) => ({ ...row, other: b[n]!.value }));
  return (
    <SimpleTable
      name="Measurements of both"
      rows={rows}
      rowId={({ measurement }) => measurement}
      columns={[
        { header: 'Measurement', cell: ({ label, unit }) => (unit ? `${label} (${unit})` : label) },
        { header: 'A', cell: ({ value }) => value ?? 'none' },
        { header: 'B', cell: ({ other }) => other ?? 'none' },
        {
          header: 'B − A',
          cell: ({ value, other }) => (value === null || other === null ? '' : differenceText(other - value)),
        },
      ]}
    />
  );
}

function differenceText(difference: number): string {
  const rounded = Number(difference.toPrecision(3));
  return rounded > 0 ? `+${rounded}` : String(rounded);
}
