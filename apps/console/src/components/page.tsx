import {
  Button,
  Group,
  Title,
  VisuallyHidden,
  Box,
  Skeleton,
  Stack,
  type MantineSpacing,
  type StackProps,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import {
  createContext,
  useContext,
  useEffect,
  type ReactNode,
  useState,
  isValidElement,
  type ReactElement,
} from 'react';
import { More } from '../icons/icons';
import { plainName, StatusBadge, type Tone } from './inline';
import { ProblemBanner } from './banner';

export const SiblingTabs = createContext<ReactNode>(null);

/**
 * The head of a screen: a bar with where it is, its tabs and what can be done with it, and beneath it, for one object, its name.
 * On phones the bar is where it is alone; the others open beneath it. It names the browser's tab too.
 */
export function PageHeader(props: {
  title: ReactNode;
  /** For the browser's tab, when the title is not a plain text. */
  tabTitle?: string;
  /** The way back, in the bar; the title stands beneath it then. */
  above?: ReactNode;
  /** Tabs of this object, instead of those of its siblings. */
  tabs?: ReactNode;
  hint?: ReactNode;
  /** Actions, the primary one last. */
  children?: ReactNode;
}) {
  const { title, tabTitle, above, tabs, hint, children } = props;
  const name = tabTitle ?? (typeof title === 'string' ? title : 'Console');
  const siblings = useContext(SiblingTabs);
  const shownTabs = tabs ?? siblings;
  const [isOpen, { toggle }] = useDisclosure();
  useEffect(() => {
    document.title = `${plainName(name).slice(0, 80)} · Greenroom`;
  }, [name]);
  const heading = (
    <Title order={1} fz={above === undefined ? 'inherit' : undefined}>
      {title}
    </Title>
  );
  const place = siblings ? <VisuallyHidden>{heading}</VisuallyHidden> : heading;
  return (
    <>
      <div className="gr-bar" data-opened={isOpen || undefined}>
        {above ?? place}
        {(shownTabs || children !== undefined) && (
          <Button
            className="gr-more"
            variant="subtle"
            hiddenFrom="sm"
            aria-label="Tabs and actions"
            aria-expanded={isOpen}
            onClick={toggle}
          >
            <More size={20} aria-hidden />
          </Button>
        )}
        {shownTabs}
        {children !== undefined && (
          <Group gap="xs" ml="auto">
            {children}
          </Group>
        )}
      </div>
      {above !== undefined ? (
        <Group className="gr-title" gap="4px 12px" c="dimmed">
          {heading}
          {hint}
        </Group>
      ) : (
        hint !== undefined && <div className="gr-hint-line gr-dimmed">{hint}</div>
      )}
    </>
  );
}

export function Panel(props: {
  title?: ReactNode;
  note?: ReactNode;
  actions?: ReactNode;
  gap?: MantineSpacing;
  align?: StackProps['align'];
  children: ReactNode;
}) {
  const { title, note, actions, gap, align, children } = props;
  return (
    <section className="gr-panel">
      {(title !== undefined || actions !== undefined) && (
        <Group justify="space-between" mb="sm" gap="xs" mih={28}>
          <Title order={2}>
            {title} {note !== undefined && <span className="gr-note">{note}</span>}
          </Title>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
      )}
      {gap === undefined ? children : <Stack {...{ gap, align }}>{children}</Stack>}
    </section>
  );
}

export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={10} my={6} width={`${90 - line * 12}%`} />
      ))}
    </Stack>
  );
}

/** Shows what a query has read: its loading, its failure with a way to try again, or `children` with the data. */
export function Loaded<T>(props: {
  query: UseQueryResult<T>;
  lines?: number;
  /** In place of a list without items, or why there are none. */
  empty?: ReactElement | readonly [title: string, text?: string];
  children: (data: T) => ReactNode;
}) {
  const { query, lines, empty, children } = props;
  const { data } = query;
  if (data !== undefined && empty !== undefined && hasNoItems(data))
    return isValidElement(empty) ? empty : <Empty title={empty[0]}>{empty[1]}</Empty>;
  if (data !== undefined) return <>{children(data)}</>;
  if (query.isError) return <ProblemBanner error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading lines={lines} />;
}

const hasNoItems = (data: unknown) => (data as { items?: unknown[] }).items?.length === 0;

export function Empty({ title, children }: { title?: string; children?: ReactNode }) {
  return (
    <Box p="md" ta="center" bd="1px dashed var(--line-strong)" bdrs="md">
      {title !== undefined && <strong>{title}</strong>}
      {children !== undefined && <div className="gr-dimmed">{children}</div>}
    </Box>
  );
}

/** What changes in the body, what describes it at the side; below it where there is little room. */
export function Split(props: {
  side: ReactNode;
  /** Nothing is in the body yet: the side has all the room, and stays what it is once there is. */
  alone?: boolean;
  children: ReactNode;
}) {
  const { side, alone = false, children } = props;
  return (
    <div className={alone ? undefined : 'gr-split'}>
      <Stack>{children}</Stack>
      <Stack component="aside">{side}</Stack>
    </div>
  );
}

/** The sentence that answers what a screen was opened for; `children` are the numbers behind it. */
export function Answer({ sentence, children }: { sentence: ReactNode; children?: ReactNode }) {
  return (
    <Box className="gr-answer" role="status" maw="86ch">
      <p>{sentence}</p>
      {children !== undefined && <div className="gr-dimmed">{children}</div>}
    </Box>
  );
}

export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className="gr-facts">
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface Stat {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  tone?: Tone;
}

/** Three or four figures that do not compare with each other, in one frame. */
export function Stats({ stats }: { stats: readonly (Stat | false)[] }) {
  return (
    <dl className="gr-stats">
      {stats
        .filter((stat) => stat !== false)
        .map(({ label, value, note, tone }) => (
          <div key={label}>
            <dt>{tone ? <StatusBadge tone={tone}>{label}</StatusBadge> : label}</dt>
            <dd style={{ fontSize: '1rem', fontWeight: 600 }}>{value}</dd>
            {note !== undefined && <dd className="gr-dimmed">{note}</dd>}
          </div>
        ))}
    </dl>
  );
}

/** What not every reader needs: read and shown once it is opened. */
export function Folded({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <Box component="summary" c="var(--accent)" style={{ cursor: 'pointer' }}>
        {summary}
      </Box>
      {isOpen && <Stack mt="sm">{children}</Stack>}
    </details>
  );
}
