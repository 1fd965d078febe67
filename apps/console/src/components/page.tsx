import { Button, Group, Title, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { createContext, useContext, useEffect, type ReactNode } from 'react';
import { More } from '../icons/icons';
import { plainName } from './name';

/** Tabs of the screens that belong together, for the bar of each of them. */
export const SiblingTabs = createContext<ReactNode>(null);

/**
 * The head of a screen: a bar with where it is, its tabs and what can be done with it, and beneath it, for one object, its name.
 * On phones the bar is where it is alone; the others open beneath it. It names the browser's tab too.
 */
export function PageHeader({
  title,
  tabTitle,
  above,
  tabs,
  hint,
  children,
}: {
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
  const name = tabTitle ?? (typeof title === 'string' ? title : 'Console');
  const siblings = useContext(SiblingTabs);
  const shownTabs = tabs ?? siblings;
  const [isOpen, { toggle }] = useDisclosure();
  useEffect(() => {
    document.title = `${plainName(name).slice(0, 80)} · Greenroom`;
  }, [name]);
  const heading = <Title order={1}>{title}</Title>;
  const place = siblings ? <VisuallyHidden>{heading}</VisuallyHidden> : heading;
  return (
    <>
      <div className="gr-bar" data-opened={isOpen || undefined}>
        {above ?? place}
        {(shownTabs || children !== undefined) && (
          <Button
            className="gr-more"
            variant="subtle"
            color="gray"
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

/** A part of a screen with a heading. */
export function Panel({
  title,
  note,
  actions,
  children,
}: {
  title?: ReactNode;
  /** Beside the title, paler. */
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
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
      {children}
    </section>
  );
}
