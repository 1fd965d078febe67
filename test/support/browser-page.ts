import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium';

/** A page in a real browser, on an origin of its own. */
export class BrowserPage {
  private constructor(
    readonly page: Page,
    readonly origin: string,
    private readonly browser: Browser,
    private readonly server: Server,
  ) {}

  static async open(html: string): Promise<BrowserPage> {
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const browser = await launchChromium('--autoplay-policy=no-user-gesture-required');
    const page = await browser.newPage();
    // Another site than the api's, not only another port.
    const origin = `http://localhost:${port}`;
    await page.goto(origin);
    return new BrowserPage(page, origin, browser, server);
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.server.close();
    await once(this.server, 'close');
  }
}
