import type {
  AppControllerRoute,
  BullBoardQueues,
  ControllerHandlerReturnType,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';

/**
 * What Bull Board wants a server to serve, of which we take the questions: its routes are matched here, behind one of ours
 * that declares who may call it. Those that change something are left out.
 */
export class BoardRoutes implements IServerAdapter {
  uiConfig: UIConfig = {};
  private queues: BullBoardQueues = new Map();
  private routes: { pattern: RegExp; route: AppControllerRoute }[] = [];

  /** The handler of a path; null when no query is served there. The first route that fits is the one. */
  find(path: string, query: Record<string, unknown>): (() => Promise<ControllerHandlerReturnType>) | null {
    for (const { pattern, route } of this.routes) {
      const match = pattern.exec(path);
      if (!match) continue;
      const { queues, uiConfig } = this;
      const request = { queues, uiConfig, query, params: { ...match.groups }, body: {}, headers: {} };
      return async () => route.handler(request);
    }
    return null;
  }

  setQueues(queues: BullBoardQueues): this {
    this.queues = queues;
    return this;
  }

  setUIConfig(uiConfig: UIConfig): this {
    this.uiConfig = uiConfig;
    return this;
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    this.routes = routes
      .filter(({ method }) => [method].flat().every((each) => each === 'get'))
      .flatMap((route) => [route.route].flat().map((path) => ({ pattern: toPattern(path), route })));
    return this;
  }

  // Pages, files and errors are served like all of ours.
  setViewsPath(): this {
    return this;
  }

  setStaticPath(): this {
    return this;
  }

  setEntryRoute(): this {
    return this;
  }

  setErrorHandler(): this {
    return this;
  }
}

function toPattern(route: string): RegExp {
  return new RegExp(`^${route.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}
