import { Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { plainName } from './name';

/** The head of a screen: where it stands, what it is, and what can be done with it. It names the browser's tab too. */
export function PageHeader({
  title,
  tabTitle,
  above,
  hint,
  children,
}: {
  title: ReactNode;
  /** For the browser's tab, when the title is not a plain text. */
  tabTitle?: string;
  /** A line above the title: the way back. */
  above?: ReactNode;
  hint?: ReactNode;
  /** Actions. */
  children?: ReactNode;
}) {
  const name = tabTitle ?? (typeof title === 'string' ? title : 'Console');
  useEffect(() => {
    document.title = `${plainName(name).slice(0, 80)} · Greenroom`;
  }, [name]);
  return (
    <Group justify="space-between" align="flex-end" mb="md" gap="md">
      <Stack gap={2} style={{ minWidth: 0 }}>
        {above !== undefined && (
          <Text size="sm" component="div">
            {above}
          </Text>
        )}
        <Title order={1} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {hint !== undefined && (
          <Text size="sm" c="dimmed" component="div">
            {hint}
          </Text>
        )}
      </Stack>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </Group>
  );
}

/** A part of a screen with a heading. */
export function Panel({
  title,
  actions,
  children,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="gr-panel">
      {(title !== undefined || actions !== undefined) && (
        <Group justify="space-between" mb="sm" gap="xs">
          <Title order={2}>{title}</Title>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
      )}
      {children}
    </section>
  );
}
