/* The C interface: load a trained model and predict with it.
 *
 *   mulberry_model* model = NULL;
 *   if (mulberry_model_load("photos.mb", &model) != MULBERRY_OK) {
 *     fprintf(stderr, "%s\n", mulberry_last_error());
 *     return 1;
 *   }
 *   double row[12] = {0};
 *   double scores[11];
 *   mulberry_predict_dense(model, MULBERRY_SCORES, row, 1, 12, 1, scores);
 *   mulberry_model_free(model);
 *
 * Models are trained with the command line, Python or C++. Every function that can fail returns a
 * status; what went wrong is in mulberry_last_error(), for the calling thread. No C++ exception
 * leaves these functions. Wrong sizes and null pointers are errors; a pointer to memory that is
 * smaller than said is not noticed.
 *
 * Stable: a program that was compiled with this header runs with later shared libraries of the same
 * SOVERSION.
 *
 * Thread safety: any number of threads may use one model at the same time, as long as none frees
 * it.
 */
#ifndef MULBERRY_H
#define MULBERRY_H

#include <mulberry/export.h>
#include <mulberry/version.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mulberry_status {
  MULBERRY_OK = 0,
  MULBERRY_ERROR_USAGE = 1,       /* a call that makes no sense as it stands */
  MULBERRY_ERROR_PARAMETER = 2,   /* an argument is out of range */
  MULBERRY_ERROR_UNSUPPORTED = 3, /* the model cannot do this */
  MULBERRY_ERROR_DATA = 4,        /* the data does not fit the model */
  MULBERRY_ERROR_FORMAT = 5,      /* a file is not what its format asks for */
  MULBERRY_ERROR_IO = 6,          /* a file cannot be read */
  MULBERRY_ERROR_MODEL_FILE = 7,  /* a model file is damaged or of another version */
  MULBERRY_ERROR_MEMORY = 8,      /* out of memory */
  MULBERRY_ERROR_CANCELLED = 9,   /* stopped */
  MULBERRY_ERROR_INTERNAL = 10    /* a mistake of the library */
} mulberry_status;

typedef enum mulberry_output {
  MULBERRY_SCORES = 0,
  MULBERRY_PROBABILITIES = 1 /* MULBERRY_ERROR_UNSUPPORTED if the scores are not probabilities */
} mulberry_output;

typedef struct mulberry_model mulberry_model;

/* The version of the library that the program runs with, such as "0.2.0". */
MULBERRY_API const char* mulberry_version(void);

/* The last failure on the calling thread: place, problem and next step in one text; empty when
 * there was none. Valid until the next failure on this thread. */
MULBERRY_API const char* mulberry_last_error(void);

/* Opens a model file. *model is NULL after a failure. */
MULBERRY_API mulberry_status mulberry_model_load(const char* path, mulberry_model** model);
/* Frees a model; NULL is allowed. */
MULBERRY_API void mulberry_model_free(mulberry_model* model);

/* The learner with its parameters, as text. Strings live as long as the model. */
MULBERRY_API const char* mulberry_model_learner(const mulberry_model* model);
MULBERRY_API int64_t mulberry_model_label_count(const mulberry_model* model);
MULBERRY_API int64_t mulberry_model_feature_count(const mulberry_model* model);
/* NULL for a number out of range, and where features have no names. */
MULBERRY_API const char* mulberry_model_label_name(const mulberry_model* model, int64_t label);
MULBERRY_API const char* mulberry_model_feature_name(const mulberry_model* model, int64_t feature);

/* Predicts for row-major values, `cols` per row, in the order of the model's features. `out` has
 * room for rows * labels numbers and is filled row by row; after a failure it is unchanged. The
 * result has the same bits for any number of threads. */
MULBERRY_API mulberry_status mulberry_predict_dense(const mulberry_model* model,
                                                    mulberry_output output, const double* values,
                                                    int64_t rows, int64_t cols, int threads,
                                                    double* out);
/* Predicts for compressed rows: row i has the columns index[start[i]] up to index[start[i + 1] -
 * 1], strictly increasing, and their values; `start` has rows + 1 entries, the first of them 0. */
MULBERRY_API mulberry_status mulberry_predict_csr(const mulberry_model* model,
                                                  mulberry_output output, int64_t rows,
                                                  int64_t cols, const int64_t* start,
                                                  const int32_t* index, const double* values,
                                                  int threads, double* out);

/* The labels that the model assigns: 1 or 0 per row and label. */
MULBERRY_API mulberry_status mulberry_decide_dense(const mulberry_model* model,
                                                   const double* values, int64_t rows, int64_t cols,
                                                   int threads, int8_t* out);
MULBERRY_API mulberry_status mulberry_decide_csr(const mulberry_model* model, int64_t rows,
                                                 int64_t cols, const int64_t* start,
                                                 const int32_t* index, const double* values,
                                                 int threads, int8_t* out);

#ifdef __cplusplus
}
#endif

#endif
