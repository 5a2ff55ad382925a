/**
 * The entry of a compile thread. It imports nothing before WebAssembly compiles synchronously: parsers, and
 * Node itself when it imports a CommonJS module, start to compile as soon as they are linked.
 */
import { compileWebAssemblySynchronously } from '@gatehouse/service/synchronousWebAssembly';

compileWebAssemblySynchronously();
await import('./runCalls.js');
