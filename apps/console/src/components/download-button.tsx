import { Button, type ButtonProps } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { queryClient, meQuery } from '../api/client';

/** A link to a file. A session that has ended is renewed first: the browser would save the refusal as the file. */
export function DownloadButton({
  href,
  name = '',
  children,
  ...props
}: ButtonProps & { href: string; name?: string; children: ReactNode }) {
  const start = async (event: MouseEvent) => {
    event.preventDefault();
    const me = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 }).catch(() => null);
    if (me) save(href, name);
  };
  return (
    <Button
      variant="default"
      {...props}
      component="a"
      href={href}
      download={name}
      onClick={(event: MouseEvent) => void start(event)}
    >
      {children}
    </Button>
  );
}

function save(href: string, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}
