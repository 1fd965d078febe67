import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { NAMESPACE_PREFIX } from '../support/leftovers';

/** A network of its own, as `ip netns` makes it. */
export class Namespace {
  private interfaces = 0;

  private constructor(private readonly name: string) {}

  static make(): Namespace {
    const space = new Namespace(`${NAMESPACE_PREFIX}${randomInt(36 ** 3).toString(36)}`);
    ip('netns', 'add', space.name);
    ip('-n', space.name, 'link', 'set', 'lo', 'up');
    return space;
  }

  get prefix(): string[] {
    return ['ip', 'netns', 'exec', this.name];
  }

  /** A pair of interfaces with the addresses of its two ends. */
  addInterface(): { inner: string; outer: string; setUp: (isUp: boolean) => void } {
    const [near, far] = ['a', 'b'].map((end) => `${this.name}${this.interfaces}${end}`) as [string, string];
    this.interfaces += 1;
    const subnet = `10.${randomInt(200, 250)}.${randomInt(256)}`;
    const [outer, inner] = [`${subnet}.1`, `${subnet}.2`];
    ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', this.name);
    ip('addr', 'add', `${outer}/30`, 'dev', near);
    ip('-n', this.name, 'addr', 'add', `${inner}/30`, 'dev', far);
    const setUp = (isUp: boolean) => ip('link', 'set', near, isUp ? 'up' : 'down');
    setUp(true);
    ip('-n', this.name, 'link', 'set', far, 'up');
    return { inner, outer, setUp };
  }

  /** Its interfaces go with it. */
  remove(): void {
    ip('netns', 'del', this.name);
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
