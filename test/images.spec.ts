import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');

/** Every image of another project, as it is named in a file. */
function imagesIn(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found = [...text.matchAll(/^(?:FROM(?: --\S+)?|\s+image:) (\S+)/gm)].map(([, image]) => image!);
  return found.filter((image) => !image.startsWith('greenroom:'));
}

const images = ['Dockerfile', 'docker-compose.yml'].flatMap(imagesIn);

describe('images of other projects', () => {
  it('are those of Node.js, PostgreSQL, Redis, the object store and the speech server', () => {
    const names = images.map((image) => image.split(':')[0]);
    expect([...new Set(names)].sort()).toEqual([
      'ghcr.io/remsky/kokoro-fastapi-cpu',
      'minio/minio',
      'node',
      'postgres',
      'redis',
    ]);
  });

  it.each([...new Set(images)])('%s has a tag of its own, and a whole digest if it has one', (image) => {
    expect(image).toMatch(/^[\w./-]+:(?!latest)[\w.-]+(@sha256:[0-9a-f]{64})?$/);
  });

  it('are all pinned, or none: `npm run pin-images` does all', () => {
    expect(new Set(images.map((image) => image.includes('@'))).size).toBe(1);
  });
});
