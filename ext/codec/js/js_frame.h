/*
** js_frame.h -- a JS or JSON text that is being parsed: the stack of open
** constructs, and the last completed value.
**
** js_parse.c reads the text.  The files that it uses never call it back, but return
** what is left to do (JSP_xxx): js_word.c reads what is at the cursor, js_call.c and
** js_view.c evaluate constructor calls, mostly by changing the nodes of the arguments,
** and js_refs.c knows which object is which.  Nothing here is recursive.
*/
#ifndef KV_JS_FRAME_H
#define KV_JS_FRAME_H

#include "codec/js/js_lex.h"
#include "codec/value.h"

/* What a step leaves to do */
enum {
  JSP_VALUE,              /* A value comes next */
  JSP_DONE,               /* p->iVal is complete */
  JSP_SUFFIX,             /* The same, but .buffer may follow */
  JSP_CALLED,             /* So are the arguments of the innermost call */
  JSP_END,                /* So is the whole text */
  JSP_FAIL                /* p->lex.err says why not */
};

/* KvJsFrame.eFrame */
enum {
  JSP_ARRAY = 1,          /* [ ... ] */
  JSP_OBJECT,             /* { ... } */
  JSP_GROUP,              /* ( ... ) */
  JSP_LABEL,              /* <ref *N> ... */
  JSP_CALL                /* X( ... ) */
};

/* KvNode.eSpare while a text is parsed: a label precedes this object. */
#define KV_LABELLED 1

/*
** An open construct.  Its finished parts are the nodes from iFirst to iLast,
** linked by iNext; iNode is the node that will own them, if there is one yet.
*/
typedef struct KvJsFrame KvJsFrame;
struct KvJsFrame {
  u8 eFrame;              /* JSP_xxx */
  u16 eCall;              /* CALL: KV_CALL() */
  u32 iNode;              /* The container, or the definition of a LABEL */
  u32 iFirst, iLast;      /* The parts so far, 0: none */
  u32 n;                  /* Pairs, elements or arguments so far */
  const char *zAt;        /* Where the construct starts */
};

#define KV_LABEL_OPEN 0xffffffffu

typedef struct KvJsp KvJsp;
struct KvJsp {
  KvLex lex;              /* The text, the first error */
  KvTree *pTree;
  u32 iVal;               /* The value that is complete */
  u8 bJson;               /* JSON text */
  u8 bDigits;             /* ... for kvJsonParseDigits() */
  KvJsFrame *aFrame;      /* Open constructs, innermost last */
  u32 nFrame, nFrameAlloc;
  const char *zCall;      /* Where the call starts that is evaluated */
  u32 *aLabel;            /* 1 + the object of <ref *N>; KV_LABEL_OPEN, until that is read;
                          ** 0: none.  A REF has N as n, and its offset in the text as u.u,
                          ** until all is read */
  u32 nLabel, nRefs;      /* Size of aLabel; labels */
  u64 nFill;              /* Bytes of buffers that the text doesn't spell out */
  u64 nWork;              /* Elements walked to merge pairs into arrays */
  KvNode spare;           /* For kvJspMake() without memory */
  KvJsFrame aSpace[24];   /* The frames to start with */
};

/* Begin with a text, for a reset tree; node 0 is made. */
int kvJspInit(KvJsp *p, KvTree *pTree, KvBytes text);
/* Free all but the tree. */
void kvJspClear(KvJsp *p);

/*
** Errors.  All return JSP_FAIL.
*/

int kvJspNoMem(KvJsp *p);
static inline int kvJspError(KvJsp *p, const char *zAt, const char *zMsg){
  kvLexError(&p->lex, zAt, zMsg);
  return JSP_FAIL;
}
/* The call that is evaluated can't be. */
static inline int kvJspRefuse(KvJsp *p, const char *zMsg){
  return kvJspError(p, p->zCall, zMsg);
}

/* What was expected, when nothing of it came. */
#define JSP_WHAT "expected a value: null, true, 1, 1n, \"text\", [...], {...}, /re/, new Map(...)" \
                 ", new Date(...), new Uint8Array([...])"
/* A name came: an identifier, a call, text without quotes. */
#define JSP_NAME "a literal is expected, not a name: JS text is data, and nothing in it is" \
                 " looked up or called; put text in quotes, \"abc\", and write a time as" \
                 " new Date(\"2024-05-01\") or new Date(ms)"

/*
** The cursor.
*/

/* Skip white space; true after an error. */
static inline int kvJspSpace(KvJsp *p){
  if( !p->bJson ) return kvLexSpace(&p->lex);
  while( p->lex.z<p->lex.zEnd
      && (*p->lex.z==' ' || *p->lex.z=='\n' || *p->lex.z=='\r' || *p->lex.z=='\t')
  ){
    p->lex.z++;
  }
  return 0;
}

/* The next byte, or 0 at the end. */
static inline u8 kvJspPeek(const KvJsp *p){
  return p->lex.z<p->lex.zEnd ? (u8)*p->lex.z : 0;
}

/* Skip white space and then the byte c, if it comes next. */
static inline int kvJspAccept(KvJsp *p, u8 c){
  if( kvJspSpace(p) || kvJspPeek(p)!=c ) return 0;
  p->lex.z++;
  return 1;
}

static inline int kvJspIsDigit(u8 c){ return c>='0' && c<='9'; }

/* Read digits.  What is above nMax may be any number above it. */
u64 kvJspDigits(KvJsp *p, u64 nMax);

/*
** Nodes.
*/

/* Append a node; KV_NO_NODE, with the error recorded, without memory. */
static inline u32 kvJspAdd(KvJsp *p, u8 eKind){
  u32 i = kvTreeAdd(p->pTree, eKind);
  if( i==KV_NO_NODE ) kvJspNoMem(p);
  return i;
}
/*
** A node for a value that starts here.  The outermost value is the root,
** whose node was made first.
*/
static inline u32 kvJspNode(KvJsp *p, u8 eKind){
  if( p->nFrame ) return kvJspAdd(p, eKind);
  memset(p->pTree->aNode, 0, sizeof(KvNode));
  p->pTree->aNode[0].eKind = eKind;
  return 0;
}
/*
** Append a node, as the value that is complete.  Without memory the error is
** recorded and the node is one that is never read: check with kvJspMade() when
** the value is made.
*/
KvNode *kvJspMake(KvJsp *p, u8 eKind);
static inline int kvJspMade(const KvJsp *p){
  return p->lex.err.eCode ? JSP_FAIL : JSP_DONE;
}

/* A STRING node for ASCII or WTF-8 that outlives the tree. */
u32 kvJspString(KvJsp *p, KvBytes s);
/* The node that a value stands for: a REF's target if it is complete. */
u32 kvJspDeref(const KvJsp *p, u32 iNode);
/* A value without children -> p->iVal; its n.  JSP_DONE or JSP_FAIL. */
int kvJspScalar(KvJsp *p, u8 eKind, u32 n);
/* A NUMBER or DATE.  There is only one NaN. */
int kvJspNumber(KvJsp *p, u8 eKind, double r);
/* The entries of MAP or SET iNode are complete: drop equal ones.  It becomes
** p->iVal. */
int kvJspUnique(KvJsp *p, u32 iNode);

/*
** Open constructs.
*/

/* Open one.  0 when memory runs out. */
KvJsFrame *kvJspPush(KvJsp *p, u8 eFrame, const char *zAt);
/* Open a container whose node is made now.  JSP_VALUE or JSP_FAIL. */
int kvJspOpen(KvJsp *p, u8 eFrame, u8 eKind, const char *zAt);
/* Open a call. */
int kvJspOpenCall(KvJsp *p, int eCall, const char *zAt);

/* The innermost one, or 0. */
static inline KvJsFrame *kvJspTop(KvJsp *p){
  return p->nFrame ? &p->aFrame[p->nFrame-1] : 0;
}
static inline void kvJspPop(KvJsp *p){
  KV_ASSERT( p->nFrame>0 );
  p->nFrame--;
}

#endif /* KV_JS_FRAME_H */
