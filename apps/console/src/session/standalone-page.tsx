import { Stack, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { Banner } from '../components/banner';
import { Logo } from '../components/logo';

/** A page without the menu: the only one that its reader may see. */
export function StandalonePage(props: { title: string; why?: string; width?: number; children: ReactNode }) {
  const { title, why, width = 520, children } = props;
  useEffect(() => {
    document.title = `${title} · Greenroom`;
  }, [title]);
  return (
    <main style={{ minHeight: '100vh', display: 'grid', placeItems: 'center', padding: 16 }}>
      <div className="gr-panel" style={{ width: '100%', maxWidth: width }}>
        <Stack>
          <Logo />
          <Title order={1}>{title}</Title>
          {why && <Banner tone="info">{why}</Banner>}
          {children}
        </Stack>
      </div>
    </main>
  );
}
