/**
 * The engine allocates with the C library, and frees in other threads. By default glibc has eight heaps for
 * each core and puts ever larger blocks into them, which keep what was freed: the process then grows for
 * hours. With one heap and a fixed limit of the blocks in it, in bytes, it has half of the memory and stays
 * flat, and makes a tenth fewer updates (`npm run bench -- --only=soak`). Other C libraries ignore this
 * (https://man7.org/linux/man-pages/man3/mallopt.3.html).
 */
const ALLOCATION = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

/** The environment of the engine's process: the current one, whose settings of the allocation come first. */
export function engineEnvironment(): NodeJS.ProcessEnv {
  return { ...ALLOCATION, ...process.env };
}
