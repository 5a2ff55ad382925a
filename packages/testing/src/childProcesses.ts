import { spawn, type ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';

/**
 * Reads `+pid` and `-pid` until the test process closes its input, which it also does when it is killed. Then
 * kills the processes that
 * are left. A shell starts in a millisecond and exists on each supported system.
 */
const REAPER = `
pids=' '
while read -r line; do
  pid=\${line#?}
  case $line in
    +*) pids="$pids$pid " ;;
    -*) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done`;

/** A point in the order in which processes started. */
export type StartMark = number;

/** All child processes of this process, whichever code starts them. */
export class ChildProcesses {
  readonly #running = new Map<ChildProcess, StartMark>();
  readonly #kept = new Set<number>();
  #started = 0;
  #reaper: ChildProcess | null | undefined;

  constructor() {
    subscribe('child_process', (message) => {
      if (this.#reaper !== null) this.#add((message as { process: ChildProcess }).process);
    });
  }

  /** The point now, for {@link findLeft}. */
  mark(): StartMark {
    return this.#started;
  }

  /** Lets a process run until the test process ends. */
  keep(pid: number): void {
    this.#kept.add(pid);
  }

  /**
   * The processes that started after the mark, were sent no signal and still run: a command line for each.
   */
  findLeft(since: StartMark): string[] {
    return this.#since(since)
      .filter((child) => !child.killed)
      .map(({ pid, spawnargs }) => `${pid} ${spawnargs.join(' ')}`);
  }

  /**
   * Kills each process that started after the mark, with its descendants, and resolves when they have exited.
   */
  async kill(since: StartMark): Promise<void> {
    await Promise.all(
      this.#since(since).map(async (child) => {
        const exited = new Promise((resolve) => child.once('exit', resolve));
        for (const pid of findDescendants(child.pid ?? 0)) signal(pid);
        child.kill('SIGKILL');
        await exited;
      }),
    );
  }

  #since(mark: StartMark): ChildProcess[] {
    return [...this.#running].flatMap(([child, started]) =>
      // Without an id it did not start, for example because there is no such program.
      started > mark && child.pid !== undefined && !this.#kept.has(child.pid) ? [child] : [],
    );
  }

  #add(child: ChildProcess): void {
    this.#running.set(child, (this.#started += 1));
    child.once('error', () => child.pid ?? this.#running.delete(child));
    // The message about a new process precedes its id.
    child.once('spawn', () => this.#tellReaper(`+${child.pid}`));
    child.once('exit', () => {
      this.#running.delete(child);
      this.#tellReaper(`-${child.pid}`);
    });
  }

  #tellReaper(line: string): void {
    this.#reaper ??= this.#startReaper();
    this.#reaper.stdin?.write(`${line}\n`);
  }

  #startReaper(): ChildProcess {
    // Marks the reaper itself as no process of a test.
    this.#reaper = null;
    // A group of its own: the terminal's Ctrl-C must not end the reaper first.
    const reaper = spawn('/bin/sh', ['-c', REAPER], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    reaper.unref();
    reaper.stdin.on('error', () => {});
    // Neither keeps a test process alive that has nothing left to do.
    if (reaper.stdin instanceof Socket) reaper.stdin.unref();
    return reaper;
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It exited meanwhile.
  }
}

/** The descendants of a process where `/proc` lists them; elsewhere none. */
function findDescendants(root: number): number[] {
  const found = new Set([root]);
  const parents = readParents();
  // A child may have a lower id than its parent, so that one pass is not enough.
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  found.delete(root);
  return [...found];
}

function readParents(): [number, number][] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        const parent = readParent(name);
        return parent === undefined ? [] : [[Number(name), parent]];
      });
  } catch {
    return [];
  }
}

function readParent(pid: string): number | undefined {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

const KEY = Symbol.for('gatehouse.childProcesses');

/** The children of this process. One object, however often this module is loaded. */
export function childProcesses(): ChildProcesses {
  const holder = globalThis as { [KEY]?: ChildProcesses };
  return (holder[KEY] ??= new ChildProcesses());
}
