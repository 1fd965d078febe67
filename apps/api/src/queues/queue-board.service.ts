import { DomainError } from '@app/domain/errors';
import { QUEUE_NAMES } from '@app/queue/jobs';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { Injectable } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { sendFile, readStaticFiles, SECURITY_HEADERS, type PageResponse } from '../http/static-files';
import { BoardRoutes } from './board-routes';
import { inTime, QueueAccess } from './queue-access';

const UI = join(dirname(createRequire(__filename).resolve('@bull-board/ui/package.json')), 'dist');
const BASE_PATH = '/admin/queues/board/';
/** It requests jobs one by one, and after a refusal it waits for seconds before the next request. */
const PATIENCE_MS = 10_000;
/** Files whose names change with their content. */
const HASHED = /\.[0-9a-f]{8,}\.(css|js)$/;

/** Everything comes from here; its components write styles into elements. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/**
 * Bull Board over our queues, for looking at single jobs as the queue knows them. It changes nothing: the queues are
 * passed to it as read-only, and only what it reads can be requested.
 */
@Injectable()
export class QueueBoardService {
  private board: BoardRoutes | null = null;
  private readonly files = readStaticFiles(join(UI, 'static'));

  constructor(private readonly access: QueueAccess) {}

  /** The same page for every address: the browser's side draws it. */
  page(): PageResponse {
    return {
      headers: {
        ...SECURITY_HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
      },
      body: PAGE.replace('CONFIGURATION', () =>
        JSON.stringify(this.routes.uiConfig).replaceAll('<', '\\u003c'),
      ),
    };
  }

  /**
   * @param path below `static/`
   * @param encodings the Accept-Encoding header
   * @throws DomainError `not_found`
   */
  file(path: string, encodings = ''): PageResponse {
    const file = this.files.get(path);
    if (!file) throw new DomainError('not_found');
    return sendFile(file, encodings, HASHED.test(path) ? 'private, max-age=31536000, immutable' : 'no-cache');
  }

  /**
   * What the page wants to know.
   *
   * @param path below the page, with `api/`
   * @throws DomainError `not_found`; `service_unavailable` when the queue does not respond
   */
  async ask(path: string, query: Record<string, unknown>): Promise<{ status: number; body: unknown }> {
    const response = this.routes.find(`/${path}`, query);
    if (!response) throw new DomainError('not_found');
    try {
      const { status = 200, body } = await inTime(response(), PATIENCE_MS);
      return { status, body };
    } catch (cause) {
      throw new DomainError('service_unavailable', {}, { cause });
    }
  }

  private get routes(): BoardRoutes {
    this.board ??= this.open();
    return this.board;
  }

  private open(): BoardRoutes {
    const serverAdapter = new BoardRoutes();
    const queues = QUEUE_NAMES.map(
      (name) => new BullMQAdapter(this.access.require(name), { readOnlyMode: true, allowRetries: false }),
    );
    const uiConfig = {
      boardTitle: 'Greenroom: jobs',
      hideDocsLink: true,
      // Who works on what is read from heartbeats and shown in the console, on every backend alike.
      showWorkers: false,
      locale: { lng: 'en-GB' },
      miscLinks: [{ text: 'Back to the console', url: '/console/queues' }],
    };
    createBullBoard({ queues, serverAdapter, options: { uiConfig } });
    return serverAdapter;
  }
}

/** Scripts and style sheets as its own page names them, without the fonts of another site. */
const PAGE = makePage(readFileSync(join(UI, 'index.ejs'), 'utf8'));

function makePage(template: string): string {
  const tags =
    template.match(/<link href="static\/[^>]+>|<script defer src="static\/[^>]+><\/script>/g) ?? [];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <base href="${BASE_PATH}" />
    <title>Greenroom: jobs</title>
    <link rel="icon" href="/console/favicon.svg" />
    ${tags.join('\n    ')}
  </head>
  <body>
    <script id="__UI_CONFIG__" type="application/json">CONFIGURATION</script>
    <div id="root"></div>
  </body>
</html>
`;
}
