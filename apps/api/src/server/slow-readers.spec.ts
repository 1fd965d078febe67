import {
  findSlowReaders,
  MAX_UNREAD_BYTES_PER_NETWORK,
  MIN_READ_BYTES_PER_SEC,
  READ_GRACE_MS,
  type Reader,
} from './slow-readers';

interface Client extends Reader {
  socket: Reader['socket'] & { writableLength: number; bytesWritten: number };
}

const client = (unread: number, network = '203.0.113.9'): Client => ({
  network,
  unread: null,
  socket: { writableLength: unread, bytesWritten: unread, destroy: () => undefined as never },
});

it('names a client that reads nothing, when its time is over', () => {
  const [reader, slow] = [client(0), client(MIN_READ_BYTES_PER_SEC * 10)];
  const endsMs = READ_GRACE_MS + 10_000;
  expect(findSlowReaders([reader, slow], 0)).toEqual([]);
  expect(findSlowReaders([reader, slow], endsMs)).toEqual([]);
  expect(findSlowReaders([reader, slow], endsMs + 1)).toEqual([slow]);
});

it('gives a client that has read, and is sent more, its time again', () => {
  const steady = client(1_000);
  findSlowReaders([steady], 0);
  steady.socket.bytesWritten += 1_000;
  expect(findSlowReaders([steady], READ_GRACE_MS + 2_000)).toEqual([]);
  steady.socket.writableLength = 0;
  expect(findSlowReaders([steady], 10 * READ_GRACE_MS)).toEqual([]);
});

it('names the longest waiting of a network that has too much unread, and no other', () => {
  const half = MAX_UNREAD_BYTES_PER_NETWORK / 2;
  const clients = [client(half), client(half), client(half)] as [Client, Client, Client];
  const other = client(half, '203.0.113.10');
  for (const [index, each] of clients.entries()) findSlowReaders([each], index);
  expect(findSlowReaders([...clients, other], 10)).toEqual([clients[0]]);
});
