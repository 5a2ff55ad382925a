import type { AccessGraph, GraphNode } from '../../logic/accessGraph.js';

export interface DrawingProps {
  graph: AccessGraph;
  label: string;
  onOpen?(point: GraphNode): void;
}
