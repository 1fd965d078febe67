import { createServer } from 'node:net';

/** Listens for a moment. @returns the port @throws the system's error when the port cannot be had */
export async function tryPort(host: string, port: number): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}

/** The requested port when it is free, else any free one. */
export async function freePort(host: string, requested = 0): Promise<number> {
  return tryPort(host, requested).catch(() => tryPort(host, 0));
}
