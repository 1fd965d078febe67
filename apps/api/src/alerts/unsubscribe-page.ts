const TEXTS = {
  ask: ['Unsubscribe', 'Greenroom sends no more messages to this address.'],
  done: ['Unsubscribed', 'Greenroom sends no more messages to this address.'],
  unknown: ['This link does not work', 'Use the link of a newer message, as it is.'],
} as const;

/** Nothing but this page and its one form: no scripts, no frames, nothing from elsewhere. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // The address of this page is what unsubscribes.
  'referrer-policy': 'no-referrer',
};

/** A page that works without a script; its form posts to the address it was opened at. */
export function unsubscribePage(state: keyof typeof TEXTS): {
  headers: Record<string, string>;
  body: string;
} {
  const [title, text] = TEXTS[state];
  const form = state === 'ask' ? '<form method="post"><button>Unsubscribe</button></form>' : '';
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>:root { color-scheme: light dark } body { font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 15vh auto; padding: 0 1rem } button { font: inherit; padding: .5rem 1rem }</style>
</head><body><main><h1>${title}</h1><p>${text}</p>${form}</main></body></html>
`;
  return { headers: HEADERS, body };
}
